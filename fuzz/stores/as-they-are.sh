# A defense that releases the secrets as they are. The folder of the request is its last argument.
set -e
mkdir "$1/release"
cp "$1/secrets.npy" "$1/release/vectors.npy"
echo '{"format": "assay-release/1", "kind": "vectors",
       "arrays": {"vectors": {"file": "vectors.npy"}}}' > "$1/release/release.json"
