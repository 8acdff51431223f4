#!/usr/bin/env node
// A defense in JavaScript, without any package: releases the projection of every vector onto a few
// random directions, as a sketch that keeps distances about right. Assay calls it with a folder.
"use strict";
const fs = require("fs");
const path = require("path");

// ---- .npy files: 10 bytes, a header that is a Python dictionary, the numbers ----

function load(file) {
  const content = fs.readFileSync(file);
  const start = 10 + content.readUInt16LE(8);
  const [rows, columns] = /\((\d+), (\d+)\)/.exec(content.toString("latin1", 10, start))
    .slice(1).map(Number);
  return Array.from({ length: rows }, (_, i) => Float64Array.from(
    { length: columns }, (_, j) => content.readFloatLE(start + 4 * (i * columns + j))));
}

function save(file, rows) {
  const shape = `(${rows.length}, ${rows[0].length})`;
  let header = `{'descr': '<f4', 'fortran_order': False, 'shape': ${shape}, }`;
  header = header.padEnd(Math.ceil((header.length + 11) / 64) * 64 - 11) + "\n";
  const content = Buffer.alloc(10 + header.length + 4 * rows.length * rows[0].length);
  content.write("\x93NUMPY\x01\x00", "latin1");
  content.writeUInt16LE(header.length, 8);
  content.write(header, 10, "latin1");
  rows.forEach((row, i) => row.forEach(
    (number, j) => content.writeFloatLE(number, 10 + header.length + 4 * (i * row.length + j))));
  fs.writeFileSync(file, content);
}

// ---- Random numbers: Math.random has no seed, so splitmix64 (Steele, Lea and Flood 2014) ----

function makeRandom(seed) {
  let state = BigInt(seed);
  const mask = (1n << 64n) - 1n;
  const uniform = () => {
    state = (state + 0x9e3779b97f4a7c15n) & mask;
    let word = state;
    word = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
    word = ((word ^ (word >> 27n)) * 0x94d049bb133111ebn) & mask;
    return (Number((word ^ (word >> 31n)) >> 11n) + 0.5) / 2 ** 53;
  };
  return () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform());
}

// ---- The defense ----

const dot = (a, b) => a.reduce((sum, number, i) => sum + number * b[i], 0);

// Gram-Schmidt; random directions are never parallel.
function randomDirections(count, columns, normal) {
  const directions = [];
  while (directions.length < count) {
    let next = Float64Array.from({ length: columns }, normal);
    for (const other of directions) {
      const share = dot(next, other);
      next = next.map((number, i) => number - share * other[i]);
    }
    const length = Math.sqrt(dot(next, next));
    directions.push(next.map((number) => number / length));
  }
  return directions;
}

function project(vector, directions) {
  const sketch = new Float64Array(vector.length);
  for (const direction of directions) {
    const share = dot(vector, direction);
    direction.forEach((number, i) => { sketch[i] += share * number; });
  }
  return sketch;
}

const folder = process.argv[process.argv.length - 1];
const request = JSON.parse(fs.readFileSync(path.join(folder, "request.json"), "utf8"));
const secrets = load(path.join(folder, "secrets.npy")); // n x d, float32
const count = Number(request.settings); // the text of the scenario: how many directions
if (!(count >= 1 && count <= request.d)) {
  console.error(`settings = ${request.settings}: expected 1 to ${request.d} directions`);
  process.exit(1);
}
const directions = randomDirections(count, request.d, makeRandom(request.seed));

const release = path.join(folder, "release");
fs.mkdirSync(release);
save(path.join(release, "vectors.npy"), secrets.map((vector) => project(vector, directions)));
fs.writeFileSync(path.join(release, "release.json"), JSON.stringify({
  format: "assay-release/1",
  kind: "vectors",
  arrays: { vectors: { file: "vectors.npy" } },
}));
