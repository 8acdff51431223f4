/* Textures of the leaves of dead-leaves.c, which alone includes this: functions of a place
 * and of the size of a pixel, both in periods of the texture, with values of about [-1, 1].
 *
 * All are made of value noise: random numbers on the integer lattice, interpolated (K. Perlin, "An
 * image synthesizer", SIGGRAPH 1985, for the idea; D. Ebert et al., "Texturing and Modeling",
 * chapter 2, for the kinds). */
#pragma once

#include <glib.h>
#include <math.h>

/* A fixed scrambling (the finaliser of MurmurHash3), not a random stream: the seeds come from
 * streams. */
static guint32
scramble (guint32 seed, gint32 x, gint32 y)
{
  guint32 h = seed ^ ((guint32) x * 0x9e3779b1u) ^ ((guint32) y * 0x85ebca77u);

  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}

/* [0, 1) */
static double
lattice (guint32 seed, double x, double y)
{
  return scramble (seed, (gint32) x, (gint32) y) * 0x1p-32;
}

static double
smooth (double t)
{
  return t * t * (3.0 - 2.0 * t);
}

/* [-1, 1], features about one unit wide. */
static double
noise (guint32 seed, double x, double y)
{
  const double i = floor (x), j = floor (y);
  const double u = smooth (x - i), v = smooth (y - j);
  const double above = lattice (seed, i, j) * (1 - u) + lattice (seed, i + 1, j) * u;
  const double below = lattice (seed, i, j + 1) * (1 - u) + lattice (seed, i + 1, j + 1) * u;

  return 2.0 * (above * (1 - v) + below * v) - 1.0;
}

/* 0 below -@width, 1 above @width. */
static double
step (double value, double width)
{
  return smooth (CLAMP (0.5 + 0.5 * value / width, 0.0, 1.0));
}

static double
clouds (guint32 seed, double u, double v, double footprint)
{
  double sum = 0, weight = 1;

  for (guint k = 0; k < 6 && footprint < 0.7; k++) {
    sum += weight * noise (seed + k, u, v);
    weight *= 0.7;
    u *= 2;
    v *= 2;
    footprint *= 2;
  }
  return sum;
}

static double
stripes (guint32 seed, double u, double v, double footprint)
{
  const double warp = 0.3 * noise (seed, 0.2 * u, 0.2 * v);
  const double wave = sin (2.0 * G_PI * (u + warp));

  /* Half of the seeds: hard edges. */
  return seed & 1 ? wave : 2.0 * step (wave, 0.3 + 4.0 * footprint) - 1.0;
}

/* One round spot in each unit cell, of random place, radius and strength. */
static double
spots (guint32 seed, double u, double v, double footprint)
{
  const double i = floor (u), j = floor (v);
  const double radius = 0.12 + 0.3 * lattice (seed, i, j);
  const double x = radius + (1 - 2 * radius) * lattice (seed + 1, i, j);
  const double y = radius + (1 - 2 * radius) * lattice (seed + 2, i, j);
  const gboolean is_there = lattice (seed + 3, i, j) < 0.5;
  const double strength = seed & 1 ? 2.5 : -2.0;
  const double inside = radius - hypot (u - i - x, v - j - y);

  return is_there ? strength * step (inside, 0.05 + 0.7 * footprint) : 0.0;
}

static double
bricks (guint32 seed, double u, double v, double footprint)
{
  const double row = floor (v), shift = lattice (seed, row, 0), long_side = 1.0 + (seed & 3);
  const double place = u / long_side + shift, column = floor (place);
  const double to_side = long_side * (0.5 - fabs (place - column - 0.5));
  const double edge = MIN (to_side, 0.5 - fabs (v - row - 0.5));
  const double inside = step (edge - 0.06, 0.05 + 0.7 * footprint);

  return inside * (1.2 * lattice (seed + 1, column, row) - 0.2) - (1 - inside) * 0.8;
}

/* Lines of small marks, some of them blank. */
static double
writing (guint32 seed, double u, double v, double footprint)
{
  const double line = floor (v), mark = floor (2.5 * u), half = floor (5.0 * (v - line));
  const double x = 2.5 * u - mark, y = v - line;
  const gboolean is_blank = lattice (seed, floor (0.3 * mark), line) < 0.25;
  const double ink = lattice (seed + 1, mark, 8.0 * line + half) < 0.55 ? 1.0 : 0.0;
  const double band = step (0.3 - fabs (y - 0.4), 0.05 + 0.7 * footprint);
  const double stroke = step (0.4 - fabs (x - 0.5), 0.1 + 1.7 * footprint);

  return is_blank ? 0.0 : -1.4 * ink * band * stroke;
}
