/* Convolutions by oneDNN (its C interface, version 2). A primitive is made for one shape, and takes
 * memory of the caller's, so that threads can share it. */
#include "core/network/convolution.h"

#include <oneapi/dnnl/dnnl.h>

#include "core/base/error.h"
#include "core/base/parallel.h"

typedef enum { FORWARD, TO_INPUTS, TO_WEIGHTS, N_WAYS } Way;

struct _AssayConvolution {
  dnnl_memory_desc_t images[2];  /* in, out */
  dnnl_memory_desc_t weights[2]; /* as they are, turned */
  dnnl_memory_desc_t biases;
  dnnl_memory_desc_t scratch[N_WAYS];
  dnnl_primitive_t ways[N_WAYS];
};

/* ---- The library ---- */

static dnnl_engine_t
get_engine (void)
{
  static gsize once = 0;
  static dnnl_engine_t engine = NULL;

  if (g_once_init_enter (&once)) {
    if (dnnl_engine_create (&engine, dnnl_cpu, 0) != dnnl_success)
      engine = NULL;
    g_once_init_leave (&once, 1);
  }
  return engine;
}

static gboolean
may_use (dnnl_cpu_isa_t isa)
{
  return (dnnl_get_effective_cpu_isa () & isa) == isa;
}

gsize
assay_convolution_lanes (void)
{
  return may_use (dnnl_cpu_isa_avx512_core) ? 16 : 8;
}

const char *
assay_convolution_describe (void)
{
  static char text[64];
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    const dnnl_version_t *version = dnnl_version ();

    /* What AVX-512 and AVX2 have been extended by is not for float32. */
    g_snprintf (text, sizeof text, "oneDNN %d.%d.%d %s", version->major, version->minor,
                version->patch,
                may_use (dnnl_cpu_isa_avx512_core) ? "AVX-512"
                : may_use (dnnl_cpu_isa_avx2)      ? "AVX2"
                                                   : "SSE4.1");
    g_once_init_leave (&once, 1);
  }
  return text;
}

/* ---- Sizes ---- */

static gsize
kernel_height (const AssayConvolutionShape *shape)
{
  return shape->kernel > 0 ? shape->kernel : shape->height;
}

static gsize
kernel_width (const AssayConvolutionShape *shape)
{
  return shape->kernel > 0 ? shape->kernel : shape->width;
}

static gsize
padding (const AssayConvolutionShape *shape)
{
  return shape->kernel / 2;
}

gsize
assay_convolution_height (const AssayConvolutionShape *shape)
{
  return (shape->height + 2 * padding (shape) - kernel_height (shape)) / shape->stride + 1;
}

gsize
assay_convolution_width (const AssayConvolutionShape *shape)
{
  return (shape->width + 2 * padding (shape) - kernel_width (shape)) / shape->stride + 1;
}

gsize
assay_convolution_weights (const AssayConvolutionShape *shape)
{
  return shape->in * shape->out * kernel_height (shape) * kernel_width (shape);
}

gsize
assay_convolution_place (const AssayConvolutionShape *shape, gsize out, gsize in, gsize place)
{
  const gsize block = shape->lanes, area = kernel_height (shape) * kernel_width (shape);
  const gsize outer = ((out / block) * (shape->in / block) + in / block) * area + place;

  return (outer * block + in % block) * block + out % block;
}

void
assay_convolution_turn (const AssayConvolutionShape *shape, const float *weights, float *ret_turned)
{
  const gsize block = shape->lanes, square = block * block;

  for (gsize first = 0; first < assay_convolution_weights (shape); first += square)
    for (gsize i = 0; i < block; i++)
      for (gsize o = 0; o < block; o++)
        ret_turned[first + o * block + i] = weights[first + i * block + o];
}

/* ---- Primitives ---- */

static gboolean
describe (const AssayConvolutionShape *shape, AssayConvolution *convolution)
{
  const dnnl_dim_t n = (dnnl_dim_t) shape->images;
  const dnnl_dim_t in = (dnnl_dim_t) shape->in, out = (dnnl_dim_t) shape->out;
  const dnnl_dims_t images[2] = { { n, in, (dnnl_dim_t) shape->height, (dnnl_dim_t) shape->width },
                                  { n, out, (dnnl_dim_t) assay_convolution_height (shape),
                                    (dnnl_dim_t) assay_convolution_width (shape) } };
  const dnnl_dims_t weights
      = { out, in, (dnnl_dim_t) kernel_height (shape), (dnnl_dim_t) kernel_width (shape) };
  const dnnl_dims_t biases = { out };
  const gboolean is_wide = shape->lanes == 16;
  const dnnl_format_tag_t order = is_wide ? dnnl_nChw16c : dnnl_nChw8c;
  const dnnl_format_tag_t orders[2]
      = { is_wide ? dnnl_OIhw16i16o : dnnl_OIhw8i8o, is_wide ? dnnl_OIhw16o16i : dnnl_OIhw8o8i };
  gboolean is_fine
      = dnnl_memory_desc_init_by_tag (&convolution->biases, 1, biases, dnnl_f32, dnnl_x)
        == dnnl_success;

  for (guint i = 0; i < 2; i++)
    is_fine
        = is_fine
          && dnnl_memory_desc_init_by_tag (&convolution->images[i], 4, images[i], dnnl_f32, order)
                 == dnnl_success
          && dnnl_memory_desc_init_by_tag (&convolution->weights[i], 4, weights, dnnl_f32,
                                           orders[i])
                 == dnnl_success;
  return is_fine;
}

static dnnl_status_t
describe_way (const AssayConvolution *c, Way way, const AssayConvolutionShape *shape,
              dnnl_convolution_desc_t *ret_desc)
{
  const dnnl_dims_t strides = { (dnnl_dim_t) shape->stride, (dnnl_dim_t) shape->stride };
  const dnnl_dims_t zeros = { (dnnl_dim_t) padding (shape), (dnnl_dim_t) padding (shape) };
  const dnnl_alg_kind_t direct = dnnl_convolution_direct;

  if (way == FORWARD)
    return dnnl_convolution_forward_desc_init (ret_desc, dnnl_forward_training, direct,
                                               &c->images[0], &c->weights[0], &c->biases,
                                               &c->images[1], strides, zeros, zeros);
  if (way == TO_INPUTS)
    return dnnl_convolution_backward_data_desc_init (
        ret_desc, direct, &c->images[0], &c->weights[1], &c->images[1], strides, zeros, zeros);
  return dnnl_convolution_backward_weights_desc_init (ret_desc, direct, &c->images[0],
                                                      &c->weights[0], &c->biases, &c->images[1],
                                                      strides, zeros, zeros);
}

/* @forward: NULL, or what the other ways have to be told of. */
static dnnl_primitive_desc_t
make_way (AssayConvolution *convolution, Way way, const AssayConvolutionShape *shape,
          const_dnnl_primitive_desc_t forward)
{
  dnnl_convolution_desc_t desc;
  dnnl_primitive_attr_t attributes = NULL;
  dnnl_primitive_desc_t primitive = NULL;

  if (describe_way (convolution, way, shape, &desc) != dnnl_success
      || dnnl_primitive_attr_create (&attributes) != dnnl_success)
    return NULL;
  dnnl_primitive_attr_set_scratchpad_mode (attributes, dnnl_scratchpad_mode_user);
  if (dnnl_primitive_desc_create (&primitive, &desc, attributes, get_engine (), forward)
      != dnnl_success)
    primitive = NULL;
  dnnl_primitive_attr_destroy (attributes);
  if (primitive == NULL)
    return NULL;
  convolution->scratch[way]
      = *dnnl_primitive_desc_query_md (primitive, dnnl_query_scratchpad_md, 0);
  if (dnnl_primitive_create (&convolution->ways[way], primitive) != dnnl_success)
    convolution->ways[way] = NULL;
  return primitive;
}

/* What is to be made; by assay_parallel_for, under which the library takes one thread. */
typedef struct {
  const AssayConvolutionShape *shape;
  AssayConvolution *convolution;
  gboolean is_made;
} Making;

static void
make_ways (G_GNUC_UNUSED gsize index, G_GNUC_UNUSED guint worker, gpointer data)
{
  Making *making = data;
  dnnl_primitive_desc_t descs[N_WAYS] = { NULL };

  making->is_made = get_engine () != NULL && describe (making->shape, making->convolution);
  for (Way way = FORWARD; way < N_WAYS && making->is_made; way++) {
    descs[way] = make_way (making->convolution, way, making->shape, descs[FORWARD]);
    making->is_made = descs[way] != NULL && making->convolution->ways[way] != NULL;
  }
  for (Way way = FORWARD; way < N_WAYS; way++)
    if (descs[way] != NULL)
      dnnl_primitive_desc_destroy (descs[way]);
}

void
assay_convolution_free (AssayConvolution *convolution)
{
  if (convolution == NULL)
    return;
  for (Way way = FORWARD; way < N_WAYS; way++)
    if (convolution->ways[way] != NULL)
      dnnl_primitive_destroy (convolution->ways[way]);
  g_free (convolution);
}

AssayConvolution *
assay_convolution_new (const AssayConvolutionShape *shape, GError **error)
{
  AssayConvolution *convolution = g_new0 (AssayConvolution, 1);
  Making making = { shape, convolution, FALSE };

  assay_parallel_for (1, make_ways, &making);
  if (making.is_made)
    return convolution;
  assay_convolution_free (convolution);
  return assay_fail_null (error, ASSAY_ERROR_NUMERIC,
                          "oneDNN has no convolution of %zu x %zu pixels from %zu to %zu channels "
                          "with a kernel of %zu and stride %zu",
                          shape->height, shape->width, shape->in, shape->out, shape->kernel,
                          shape->stride);
}

gsize
assay_convolution_scratch (const AssayConvolution *convolution)
{
  gsize most = 0;

  for (Way way = FORWARD; way < N_WAYS; way++)
    most = MAX (most, dnnl_memory_desc_get_size (&convolution->scratch[way]));
  return most;
}

/* ---- Execution ---- */

#define MOST_ARGUMENTS 5

/* One of what a primitive works on. */
typedef struct {
  int what;
  const dnnl_memory_desc_t *desc;
  gconstpointer data;
} Argument;

/* Nothing of it can fail but for want of some bytes. */
static void
execute (const AssayConvolution *convolution, Way way, const Argument *arguments, int n)
{
  dnnl_exec_arg_t memories[MOST_ARGUMENTS];
  dnnl_stream_t stream;
  dnnl_status_t status = dnnl_stream_create (&stream, get_engine (), dnnl_stream_default_flags);

  g_assert (status == dnnl_success);
  for (int i = 0; i < n; i++) {
    memories[i].arg = arguments[i].what;
    status = dnnl_memory_create (&memories[i].memory, arguments[i].desc, get_engine (),
                                 (gpointer) arguments[i].data);
    g_assert (status == dnnl_success);
  }
  status = dnnl_primitive_execute (convolution->ways[way], stream, n, memories);
  g_assert (status == dnnl_success);
  dnnl_stream_wait (stream);
  for (int i = 0; i < n; i++)
    dnnl_memory_destroy (memories[i].memory);
  dnnl_stream_destroy (stream);
}

void
assay_convolution_forward (const AssayConvolution *convolution, const float *const *parameters,
                           const float *inputs, float *ret_outputs, gpointer scratch)
{
  const Argument arguments[] = { { DNNL_ARG_SRC, &convolution->images[0], inputs },
                                 { DNNL_ARG_WEIGHTS, &convolution->weights[0], parameters[0] },
                                 { DNNL_ARG_BIAS, &convolution->biases, parameters[1] },
                                 { DNNL_ARG_DST, &convolution->images[1], ret_outputs },
                                 { DNNL_ARG_SCRATCHPAD, &convolution->scratch[FORWARD], scratch } };

  execute (convolution, FORWARD, arguments, G_N_ELEMENTS (arguments));
}

void
assay_convolution_to_inputs (const AssayConvolution *convolution, const float *turned,
                             const float *deltas, float *ret_inputs, gpointer scratch)
{
  const Argument arguments[]
      = { { DNNL_ARG_DIFF_SRC, &convolution->images[0], ret_inputs },
          { DNNL_ARG_WEIGHTS, &convolution->weights[1], turned },
          { DNNL_ARG_DIFF_DST, &convolution->images[1], deltas },
          { DNNL_ARG_SCRATCHPAD, &convolution->scratch[TO_INPUTS], scratch } };

  execute (convolution, TO_INPUTS, arguments, G_N_ELEMENTS (arguments));
}

void
assay_convolution_to_weights (const AssayConvolution *convolution, const float *inputs,
                              const float *deltas, float *const *ret_gradients, gpointer scratch)
{
  const Argument arguments[]
      = { { DNNL_ARG_SRC, &convolution->images[0], inputs },
          { DNNL_ARG_DIFF_WEIGHTS, &convolution->weights[0], ret_gradients[0] },
          { DNNL_ARG_DIFF_BIAS, &convolution->biases, ret_gradients[1] },
          { DNNL_ARG_DIFF_DST, &convolution->images[1], deltas },
          { DNNL_ARG_SCRATCHPAD, &convolution->scratch[TO_WEIGHTS], scratch } };

  execute (convolution, TO_WEIGHTS, arguments, G_N_ELEMENTS (arguments));
}
