/* Runs of the mechanisms that answer queries, and the slack of shares of them. */
#pragma once

#include "core/plugin/plugin.h"

/* How far the share of @n runs may be from its expectation @p. */
double query_slack (double p, double n);

const AssayDefense *query_defense (const char *id);

AssayStream query_stream (guint64 trial);

/* Outputs of @n runs of a defense on @input. */
float *query_run (const char *id, const char *assignments, const float *input, gsize cols, gsize n);

/* Its pair of inputs number @index. */
void query_propose (const char *id, const char *assignments, gsize cols, guint index,
                    float *ret_first, float *ret_second);

/* P (Laplace of scale @b <= x); the step function for b = 0. */
double query_laplace_cdf (double x, double b);

/* The fraction of @n outputs that are @symbols. */
double query_share (const float *outputs, const float *symbols, gsize cols, gsize n);
