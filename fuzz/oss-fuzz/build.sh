#!/bin/bash -eu
# Builds the fuzz targets as OSS-Fuzz wants them: compiled by $CC with $CFLAGS, linked with
# $LIB_FUZZING_ENGINE, and put into $OUT with dictionaries, options, seed corpora and the libraries
# that a machine without the packages lacks. Elsewhere: docs/fuzzing.md.
cd "$SRC"
[ -f meson_options.txt ] || cd assay
mkdir -p "$OUT" "$WORK"
out=$(realpath "$OUT") work=$(realpath "$WORK")

# The program makes run stores, on this machine: without what instruments the targets.
[ -d "$work/plain" ] || env -u CFLAGS -u CXXFLAGS meson setup "$work/plain" -Dtests=false \
  -Dmpi=disabled
ninja -C "$work/plain" assay
[ -d "$work/fuzz" ] || meson setup "$work/fuzz" --buildtype=plain -Dtests=false -Dmpi=disabled \
  -Db_lundef=false -Dfuzz=enabled -Dfuzz_engine="$LIB_FUZZING_ENGINE" \
  -Dc_link_args='-Wl,-rpath,$ORIGIN/lib' -Dcpp_link_args='-Wl,-rpath,$ORIGIN/lib'
targets=$(cd fuzz/corpus && echo *)
ninja -C "$work/fuzz" $(printf 'fuzz/fuzz-%s ' $targets)
fuzz/seeds --assay "$work/plain/assay" "$work/seeds"

mkdir -p "$out/lib"
for target in $targets; do
  program=$work/fuzz/fuzz/fuzz-$target
  cp "$program" "$out/$target"
  ldd "$program" | awk '$2 == "=>" && $3 ~ "^/" && $1 !~ /^lib(c|m|dl|rt|pthread)[.]/ { print $3 }' \
    | xargs -r cp -u -t "$out/lib"
  [ ! -f "fuzz/$target.dict" ] || cp "fuzz/$target.dict" "$out/"
  (cd "$work/seeds/$target" && zip -q -r - .) >"$out/${target}_seed_corpus.zip"
done
# Whole databases, of which cells are changed.
printf '[libfuzzer]\nmax_len = 131072\n' >"$out/saved-run.options"
