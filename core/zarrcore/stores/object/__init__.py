"""Object storage through obstore: S3, Google Cloud Storage, Azure Blob Storage."""
