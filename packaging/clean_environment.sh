# shellcheck shell=bash
# packaging/test sources this file: its tests start with the variables that any user's machine has, and with no others.
# Settings of Python, languages, proxies and clouds would hide faults, or cause some.
#
# ZARRSCOPE_SETUP_ENVIRONMENT has the others, as JSON, for the tests that install packages: pip, npm, uv and debootstrap may
# need proxies, certificates and indexes.

clean_environment() {
    local name
    [[ ${ZARRSCOPE_SETUP_ENVIRONMENT:-} ]] ||
        ZARRSCOPE_SETUP_ENVIRONMENT=$(python -c 'import json, os; print(json.dumps(dict(os.environ)))')
    export ZARRSCOPE_SETUP_ENVIRONMENT
    for name in $(compgen -e); do
        case $name in
            HOME | PATH | USER | LOGNAME | SHELL | TERM | TMPDIR | XDG_RUNTIME_DIR | OPENBLAS_* | ZARRSCOPE_*) ;;
            *) export -n "$name" ;;
        esac
    done
    export LANG=C.UTF-8
}
