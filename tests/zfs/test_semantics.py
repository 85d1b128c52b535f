"""The tests of zfs/SEMANTICS.md, paragraph by paragraph; some are in this file."""

from __future__ import annotations

import ast
import contextlib
import errno
import json
import os
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import zarr

import zarrcore as zc
from tests.zfs.conftest import Mounter
from zarrcore.filetypes.hdf5 import HDF5File
from zarrfs.fuse.errnos import TABLE

FOLDER = Path(__file__).parent
DOCUMENT = FOLDER.parents[1] / "zfs" / "SEMANTICS.md"

HELD_BY = {
    "S1": ["test_hierarchies.test_every_key_reads_byte_for_byte"],
    "S2": [
        "test_hierarchies.test_every_array_reads_as_a_whole",
        "test_hierarchies.test_slices",
        "trees/arrays/test_group_directory.test_a_group_is_a_directory_of_nodes_and_documents",
    ],
    "S3": [
        "test_hierarchies.test_selections_open_by_name",
        "test_hierarchies.test_pictures_open_by_name",
        "test_hierarchies.test_other_programs_read_images",
        "trees/arrays/test_ome_tiff.test_levels_of_an_image_are_one_file",
        "trees/arrays/test_geotiff.test_a_map",
        "trees/arrays/test_geotiff.test_a_stack_refers_to_files_of_the_mount",
        "test_hierarchies.test_elements_of_variable_length_are_readable",
        "test_hierarchies.test_listings_have_the_chosen_file_types",
    ],
    "S4": [
        "fuse/test_errnos.test_broken_arrays_say_why",
        "fuse/test_errnos.test_missing_hierarchy_is_still_mounted_as_keys",
        "trees/zarr3/test_damage.test_no_name_below_a_damaged_document_is_absent",
    ],
    "S5": [
        "trees/arrays/test_group_directory.test_a_group_is_a_directory_of_nodes_and_documents",
        "trees/test_control.test_the_control_directory_is_hidden_and_reserved",
    ],
    "S6": ["test_semantics.test_looking_at_files_fetches_no_chunk"],
    "S7": [
        "trees/test_names.test_special_segments_are_escaped",
        "trees/test_names.test_every_segment_round_trips",
    ],
    "S8": [
        "test_remote.test_a_key_that_is_also_a_prefix_is_readable",
        "trees/keys/test_tree.test_keys_first_shows_the_key",
    ],
    "S9": [
        "fuse/test_operations.test_long_names_are_omitted_from_listings",
        "trees/writing/test_limits.test_all_operations_have_one_limit_for_names",
    ],
    "S10": [
        "test_remote.test_a_mount_of_http_without_listings_is_walked_by_name",
        "trees/keys/test_denied.test_directories_of_a_server_without_listings_are_walked",
    ],
    "S11": [
        "fuse/test_ages.test_no_answer_is_older_than_the_time_to_live",
        "fuse/test_ages.test_within_the_time_to_live_nothing_is_requested_again",
        "fuse/test_ages.test_a_mount_shows_a_change_after_the_time_to_live_and_not_before",
        "mount/test_mount.test_all_places_have_the_same_time_to_live_without_what_the_store_keeps_itself",
        "test_remote.test_consolidated_metadata_give_all_nodes",
        "fuse/test_operations.test_names_below_an_open_directory_are_looked_up_again",
        "mount/test_mount.test_without_a_time_to_live_every_open_asks_the_store",
        "mount/test_mount.test_refreshing_shows_new_content",
        "mount/test_metadata_prefetch.test_a_listing_after_it_sends_no_request",
        "mount/test_walk_ahead.test_a_program_that_does_not_walk_causes_no_further_requests",
        "mount/test_walk_ahead.test_it_stays_within_what_programs_list",
        "mount/test_walk_ahead.test_failures_are_the_programs_own",
    ],
    "S12": [
        "mount/test_mount.test_refreshing_shows_new_content",
        "mount/test_mount.test_refreshing_forgets_names_of_open_files",
        "../proofs/models/test_mount.test_a_mount_agrees_with_a_plain_directory",
    ],
    "S13": [
        "fuse/test_errnos.test_a_key_that_changes_under_an_open_handle_is_stale",
        "fuse/test_errnos.test_two_versions_of_a_key_open_at_once_do_not_mix",
        "test_remote.test_a_remote_key_that_changes_is_stale",
        "trees/writing/test_keys.test_a_value_of_another_size_has_another_inode_number",
        "trees/writing/test_keys.test_a_removed_file_that_is_open_has_its_attributes",
    ],
    "S14": [
        "test_semantics.test_chunks_may_be_of_different_ages",
        "test_semantics.test_an_array_stored_again_in_other_chunks_opens_with_its_new_content",
    ],
    "S15": [
        "test_remote.test_each_failure_has_its_errno_and_recovers",
        "trees/keys/test_denied.test_a_denied_chunk_is_not_missing",
    ],
    "S16": [
        "fuse/test_errnos.test_each_error_has_its_errno",
        "trees/keys/test_denied.test_expired_credentials_are_no_fill_values",
        "test_remote.test_each_failure_has_its_errno_and_recovers",
    ],
    "S17": [
        "fuse/test_errnos.test_a_damaged_chunk_is_an_error_and_the_others_are_right",
        "fuse/test_guard.test_a_bug_does_not_end_the_daemon",
        "trees/writing/test_limits.test_without_memory_requests_fail_and_the_daemon_lives",
        "trees/writing/test_limits.test_holes_larger_than_the_disk_are_written",
    ],
    "S18": [
        "test_remote.test_a_hanging_request_does_not_delay_others",
        "fuse/test_prefetch.test_hung_readers_leave_threads_to_others_and_release_their_bytes",
    ],
    "S19": [
        "fuse/test_errnos.test_failures_to_mount_give_one_line",
        "../packaging/test_mount_helper.test_an_fstab",
        "../packaging/test_mount_helper.test_mount_reports_failures",
        "mount/test_mount.test_the_command_returns_when_the_mount_answers",
    ],
    "S20": [
        "mount/test_umount.test_umount_from_inside_names_the_current_directory",
        "mount/test_mount.test_signals_unmount",
        "mount/test_mount.test_a_dead_mount_is_cleaned_by_the_next_one",
        "mount/test_umount.test_umount_names_the_processes_that_use_the_mount",
        "mount/test_umount.test_lazy_lets_readers_finish",
        "mount/test_umount.test_a_dead_mount_is_unmounted",
        "trees/writing/test_zip.test_a_replaced_zip_file_is_reported_when_unmounting",
        "mount/test_ordinary_user.test_dead_mounts_of_an_ordinary_user_are_cleaned",
    ],
    "S21": [
        "mount/test_mount.test_words_of_mount_are_options",
        "test_semantics.test_files_and_directories_have_their_permissions",
        "mount/test_ordinary_user.test_other_users_have_no_access_and_busy_mounts_are_reported",
    ],
    "S22": [
        "mount/test_mount.test_statistics_count_requests",
        "mount/test_mount.test_df_reports_no_free_space",
    ],
    "S23": [
        "fuse/test_prefetch.test_read_ahead_stays_within_its_budget",
        "test_spill.test_sequential_readers_decode_each_chunk_once",
        "test_resources.test_memory_is_bounded_during_long_reads",
        "trees/writing/test_limits.test_memory_for_written_data_is_bounded_by_the_cache_size",
        "test_resources.test_names_that_were_only_listed_are_forgotten",
        "test_resources.test_a_listed_name_takes_few_bytes_and_keeps_its_number",
        "fuse/inodes/test_listed_names.test_the_oldest_names_beyond_a_memory_are_offered_for_forgetting_once",
    ],
    "S24": [
        "fuse/test_kernel_cache.test_the_next_mount_needs_no_server_and_trusts_no_damaged_entry",
        "fuse/test_kernel_cache.test_later_mounts_ask_whether_it_changed",
        "fuse/test_kernel_cache.test_a_full_cache_disk_is_reported_once",
        "fuse/test_kernel_cache.test_a_read_only_cache_disk_is_still_read",
        "test_shared_cache.test_eight_mounts_ask_the_source_once",
        "test_shared_cache.test_all_mounts_see_a_change_of_the_source",
        "test_shared_cache.test_a_cache_that_is_gone_is_reported_once",
    ],
    "S25": [
        "test_collections.test_all_hierarchies_are_one_tree",
        "test_collections.test_new_hierarchies_appear_after_a_refresh",
    ],
    "S26": [
        "test_process_list.test_secrets_are_not_in_the_process_list",
        "test_cli.test_the_environment_is_read_from_a_file",
        "mount/test_logs.test_the_log_continues_in_a_new_file_after_rotation",
    ],
    "S27": [
        "fuse/test_xattrs.test_nodes_have_extended_attributes",
        "fuse/test_xattrs.test_attributes_beyond_the_limits_of_linux_are_omitted",
        "fuse/test_xattrs.test_other_attributes_are_absent_and_writing_is_refused",
        "fuse/test_xattrs.test_without_the_option_the_kernel_sends_no_requests",
        "trees/arrays/test_node_metadata.test_nodes_have_metadata_for_extended_attributes",
    ],
    "S28": [
        "trees/zarr3/test_tree.test_other_readers_read_hierarchies_of_zarr_python",
        "trees/zarr3/test_tree.test_other_readers_read_older_formats",
        "trees/zarr3/test_tree.test_sharded_arrays_are_read_by_inner_chunks",
        "trees/zarr3/test_tree.test_missing_chunks_read_as_fill_values",
        "trees/zarr3/test_tree.test_looking_at_chunks_decodes_none",
        "trees/zarr3/test_tree.test_elements_of_variable_length_are_readable",
        "trees/zarr3/test_tree.test_a_reader_gets_an_error_and_no_fill_values",
        "trees/zarr3/test_damage.test_no_name_below_a_damaged_document_is_absent",
        "trees/zarr3/test_tree.test_other_readers_list_groups_with_any_names",
    ],
    "S29": [
        "trees/writing/test_keys.test_a_store_that_cannot_be_written_is_refused",
        "trees/writing/test_keys.test_the_word_rw_alone_has_no_effect",
        "trees/writing/test_places.test_all_kinds_of_stores_are_writable",
        "trees/writing/test_places.test_one_tree_at_the_mount_point_is_writable",
        "trees/writing/test_users.test_an_ordinary_user_writes_to_their_store",
        "trees/writing/test_users.test_other_users_write_if_permissions_allow_it",
        "fuse/test_errnos.test_writing_is_refused",
    ],
    "S30": [
        "trees/writing/test_keys.test_a_value_is_not_visible_before_it_is_closed",
        "trees/writing/test_keys.test_readers_never_see_half_of_a_value",
        "trees/writing/test_keys.test_killing_the_daemon_leaves_the_old_value",
        "trees/writing/test_keys.test_large_values_wait_on_disk",
        "trees/writing/test_keys.test_keys_are_written_through_mappings",
        "trees/writing/test_faults.test_close_and_fsync_report_failures",
        "trees/writing/test_faults.test_the_old_value_stays_if_the_new_one_cannot_be_stored",
        "trees/writing/test_properties.test_files_of_keys_agree_with_a_bytearray",
        "trees/writing/test_limits.test_a_large_value_on_a_full_disk_is_reported",
        "trees/writing/test_limits.test_a_terminated_daemon_names_what_it_did_not_store",
        "trees/writing/test_zip.test_closed_or_synchronized_values_survive_the_daemon",
        "trees/writing/test_zip.test_other_programs_read_the_file_while_it_is_mounted",
        "trees/writing/test_zip.test_a_replaced_zip_file_is_reported_at_close",
        "trees/writing/test_zip.test_a_daemon_in_the_foreground_ends_with_a_status",
        "trees/writing/test_zip.test_a_full_disk_is_reported_at_close",
    ],
    "S31": [
        "trees/writing/test_keys.test_all_writers_of_a_key_write_one_value",
        "trees/writing/test_keys.test_readers_keep_the_version_that_they_opened",
        "trees/writing/test_keys.test_changing_a_value_in_place_that_others_changed_is_refused",
        "trees/writing/test_programs.test_tensorstore",
    ],
    "S32": [
        "test_stress.test_finished_files_look_the_same_in_all_ways",
        "trees/writing/test_keys.test_a_new_key_is_not_stored_before_it_is_closed",
        "trees/writing/test_keys.test_directories_without_keys_exist_in_the_mount",
        "trees/writing/test_keys.test_renaming_moves_the_value",
        "trees/writing/test_keys.test_open_files_can_be_renamed",
        "trees/writing/test_names.test_names_in_a_mount",
        "trees/writing/test_limits.test_local_files_are_renamed_and_linked_themselves",
        "trees/writing/test_keys.test_removing_erases_the_key",
        "trees/writing/test_keys.test_links_are_copies_that_need_a_free_name",
        "trees/writing/test_keys.test_owners_permissions_and_times_are_accepted_but_not_kept",
        "trees/writing/test_keys.test_names_outside_the_trees_cannot_be_written",
        "trees/writing/test_faults.test_a_name_that_could_not_be_stored_is_gone",
        "trees/writing/test_programs.test_moves",
        "trees/writing/test_names.test_names_in_a_mount",
    ],
    "S33": [
        "trees/writing/test_programs.test_zarr_python",
        "trees/keys/test_tree.test_remembered_answers_of_a_remote_store_are_right",
        "trees/arrays/test_tree.test_a_changed_key_only_affects_data_made_from_it",
        "trees/writing/test_places.test_writing_works_with_any_time_to_live",
    ],
    "S34": [
        "trees/writing/test_arrays.test_arrays_are_changed_through_mappings_of_numpy",
        "trees/writing/test_arrays.test_several_writers_change_one_array",
        "trees/writing/test_arrays.test_programs_write_whole_files",
        "trees/writing/test_arrays.test_written_data_is_visible_in_the_file_at_once_and_stored_at_close",
        "trees/writing/test_arrays.test_invalid_writes_are_refused",
        "trees/writing/test_arrays.test_an_array_that_was_replaced_is_not_written",
        "trees/writing/test_array_edits.test_edits_agree_with_a_bytearray",
        "trees/writing/test_arrays.test_arrays_in_a_bucket_are_writable",
    ],
    "S35": [
        "trees/writing/test_new_array.test_a_copied_file_becomes_an_array",
        "trees/writing/test_new_array.test_files_that_are_not_arrays_leave_nothing_behind",
        "trees/writing/test_arrays.test_mkdir_makes_groups",
        "trees/writing/test_arrays.test_invalid_writes_are_refused",
    ],
    "S36": [
        "trees/writing/test_arrays.test_extended_attributes_are_set_and_removed",
        "trees/writing/test_arrays.test_a_folder_of_hierarchies_is_read_only",
    ],
    "S37": [
        "trees/hdf5/test_tree.test_xarray_opens_the_whole_tree",
        "trees/hdf5/test_tree.test_a_group_is_a_directory_of_files",
        "trees/hdf5/test_tree.test_every_file_equals_the_exported_one",
        "trees/hdf5/test_tree.test_omitted_content_is_reported",
    ],
    "S38": [
        "trees/hdf5/test_file.test_listing_makes_no_file",
        "trees/hdf5/test_file.test_sizes_are_known_without_making_files",
        "trees/hdf5/test_file.test_files_are_made_again_only_when_their_documents_change",
        "trees/hdf5/test_file.test_files_are_kept_within_bounds_and_sizes_beyond",
        "trees/hdf5/test_file.test_concurrent_requests_for_a_file_make_it_once",
    ],
    "S39": ["trees/hdf5/test_file.test_an_open_file_stays_when_metadata_change"],
    "S40": [
        "fuse/test_prefetch.test_one_array_of_many_is_read_ahead",
        "trees/hdf5/test_file.test_far_away",
    ],
}


def test_each_paragraph_is_held_by_a_test() -> None:
    numbers = re.findall(r"^\*\*(S[0-9]+)\.\*\*", DOCUMENT.read_text(), re.MULTILINE)
    assert numbers == [f"S{index + 1}" for index in range(len(HELD_BY))] == list(HELD_BY)
    for names in HELD_BY.values():
        for name in names:
            module, _, function = name.rpartition(".")
            tree = ast.parse((FOLDER / f"{module}.py").read_text())
            assert function in {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}, name


def test_quotations_of_the_document_are_verbatim() -> None:
    parts = re.split(r"^\*\*(S[0-9]+)\.\*\*|^## .*", DOCUMENT.read_text(), flags=re.MULTILINE)
    paragraphs = {name: " ".join(text.split()) for name, text in pairwise(parts) if name in HELD_BY}
    quoted = 0
    for file in FOLDER.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
                for name, text in re.findall(r'\b(S[0-9]+): "([^"]*)"', ast.get_docstring(node) or ""):
                    assert " ".join(text.split()) in paragraphs[name], (file, name, text)
                    quoted += 1
    assert quoted > 30


def test_the_table_of_the_document_is_the_table_of_the_code() -> None:
    written = set(re.findall(r"\bE[A-Z]{2,}\b", DOCUMENT.read_text()))
    assert {errno.errorcode[number] for _, number in TABLE} <= written | {"ENOTSUP"}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "a.zarr"
    zarr.save_group(path, x=np.arange(60, dtype="<i2").reshape(3, 4, 5))
    return path


def test_looking_at_files_fetches_no_chunk(source: Path, mount: Mounter) -> None:
    """S6: "Listing and looking at files never fetches a chunk"."""
    mounted = mount(source)
    for folder, _, names in os.walk(mounted.arrays):
        for name in names:
            assert os.stat(os.path.join(folder, name)).st_size > 0
    assert (mounted.arrays / "x" / "slices" / "1.png").stat().st_size > 20
    assert (mounted.arrays / "x" / "[::2].npy").stat().st_size > 80
    stats = mounted.stats()
    assert (stats["chunk_cache"]["misses"], stats["chunk_cache"]["bytes"]) == (0, 0)


def test_chunks_may_be_of_different_ages(tmp_path: Path, mount: Mounter) -> None:
    """S14: "different chunks may be of different ages"."""
    array = zarr.create_array(tmp_path / "a.zarr", shape=(2, 1 << 20), chunks=(1, 1 << 20), dtype="u1")
    array[...] = 1
    mounted = mount(tmp_path / "a.zarr")
    descriptor = os.open(mounted.arrays / "data.raw", os.O_RDONLY)
    try:
        assert os.pread(descriptor, 10, 0) == b"\1" * 10
        array[...] = 2
        assert os.pread(descriptor, 10, 0) == b"\1" * 10
        assert os.pread(descriptor, 10, 1 << 20) == b"\2" * 10
    finally:
        os.close(descriptor)


@pytest.mark.parametrize(
    "name",
    ["arrays/a/data.raw", "arrays/a/data.ome.tiff", "arrays/a/slices/1.npy", "zarr3/a/c/0/0/0", "hdf5/a.h5"],
)
def test_an_array_stored_again_in_other_chunks_opens_with_its_new_content(
    name: str, tmp_path: Path, mount: Mounter
) -> None:
    """S14: "a later open gets what is stored now"."""
    elements = np.arange(2 * 256 * 256, dtype="u2").reshape(2, 256, 256)

    def store(chunks: tuple[int, ...]) -> bytes:
        zarr.create_array(tmp_path / "a.zarr", name="a", data=elements, chunks=chunks, overwrite=True)
        array = zc.open_hierarchy(tmp_path / "a.zarr")["a"]
        if name.startswith("hdf5"):
            return HDF5File(array).read(0, 1 << 30)
        if name.startswith("zarr3"):
            return elements[: chunks[0], : chunks[1], : chunks[2]].tobytes()
        selection = (1,) if "slices" in name else ()
        return zc.virtual_file(array, selection, name.partition(".")[2]).read(0, 1 << 30)

    store((1, 256, 64))
    path = mount(tmp_path / "a.zarr", "--metadata-ttl", "0").path / name
    with path.open("rb", buffering=0) as before:
        before.read(10)
        now = store((2, 64, 256))
        with path.open("rb", buffering=0) as after:
            with contextlib.suppress(OSError):  # chunks that are not in memory no longer decode
                before.read()
            assert after.read() == now
        assert path.read_bytes() == now
    assert path.read_bytes() == now


def test_odd_names_are_only_absent(source: Path, mount: Mounter) -> None:
    """S17: "No error ends the daemon"; here for invalid names, including bytes that are not UTF-8."""
    mounted = mount(source)
    for name in (b"\xff\xfe", b"[" * 500, b"9" * 300 + b".npy", b"-" * 900, "\u2028.npy".encode()):
        for folder in (mounted.keys, mounted.arrays, mounted.arrays / "x", mounted.arrays / "x" / "slices"):
            assert not os.path.exists(os.path.join(os.fsencode(folder), name))
    assert "EIO" not in mounted.stats()["errors"]


def test_files_and_directories_have_their_permissions(source: Path, mount: Mounter) -> None:
    """S21: "Files are 0444 and directories 0555"."""
    mounted = mount(source)
    assert (mounted.keys / "zarr.json").stat().st_mode & 0o777 == 0o444
    assert mounted.keys.stat().st_mode & 0o777 == 0o555
    assert (mounted.keys / "zarr.json").stat().st_uid == os.getuid()


def test_the_control_directory_has_counters(source: Path, mount: Mounter) -> None:
    mounted = mount(source)
    assert json.loads((mounted.path / ".zarrscope" / "stats.json").read_bytes())["inodes"] >= 1
