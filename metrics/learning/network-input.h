/* Rows as a network takes them. */
#pragma once

#include "core/plugin/plugin.h"

typedef enum {
  NETWORK_INPUT_AUTO,     /* what network_input_choose says */
  NETWORK_INPUT_PLAIN,    /* x */
  NETWORK_INPUT_ABSOLUTE, /* |x|, which a random sign for every number leaves alone */
  NETWORK_INPUT_BOTH,     /* x, then |x| */
} NetworkInputForm;

extern const char *const network_input_forms[];

/* (form (x) - mean) * scale: each column's mean over the rows learned from, and one scale for all,
 * so that columns that hardly vary are not blown up. */
typedef struct {
  NetworkInputForm form;
  gsize row_cols; /* of x */
  gsize cols;     /* of what the network takes */
  float *means;
  float scale; /* 1 where the rows are all the same */
} NetworkInput;

ASSAY_DECLARE_CLEAR (NetworkInput, network_input_clear)

/* ABSOLUTE where the signs of @rows are fair coins, so that x says no more than |x|; else PLAIN. In
 * each row, do columns 0 and 1, 2 and 3, ... have equal signs? If signs were drawn for every
 * number, these are independent fair coins; those of images, whose neighbours resemble each other,
 * are not. Coins pass for fair within 6 standard deviations, which they leave with chance 2e-9. */
NetworkInputForm network_input_choose (AssayView rows);

gsize network_input_cols (NetworkInputForm form, gsize row_cols);

/* @form is not AUTO. Learns means and scale from @rows and gives them as they are taken. */
AssayMatrix *network_input_learn (NetworkInputForm form, AssayView rows, NetworkInput *ret_input,
                                  GError **error);
/* @rows in that form, without gaps. */
void network_input_take (const NetworkInput *input, AssayView rows, float *ret_values);
