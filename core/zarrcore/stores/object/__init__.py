"""Object storage through obstore: S3, Google Cloud Storage, Azure Blob Storage.

obstore signs and sends every request and repeats it by the policy of `zarrcore.stores.connection.retries`. httpx is used for one
request only: the region of an S3 bucket.
"""
