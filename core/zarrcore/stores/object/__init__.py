"""Object storage through obstore: S3, Google Cloud Storage, Azure Blob Storage.

obstore signs and sends every request here and repeats it by the policy of `zarrcore.stores.retries`. httpx asks one question
only: in which region a bucket of S3 is.
"""
