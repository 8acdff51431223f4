/* Functions that free what a struct holds. What is to be done is given as a list of expressions, in
 * which the struct is `self`:
 *   ASSAY_FREE_FUNC (EdgeList, edge_list_free, graph_free (self->graph), g_free (self->ids)) */
#pragma once

#include <glib.h>

/* Defines void name (Type *self), which frees a struct and what it holds; nothing, of NULL. */
#define ASSAY_FREE_FUNC(Type, name, ...)                                                           \
  void name (Type *self)                                                                           \
  {                                                                                                \
    if (self != NULL) {                                                                            \
      __VA_ARGS__;                                                                                 \
      g_free (self);                                                                               \
    }                                                                                              \
  }

/* Defines void name (Type *self), which frees what a struct of somebody else holds. */
#define ASSAY_CLEAR_FUNC(Type, name, ...)                                                          \
  void name (Type *self)                                                                           \
  {                                                                                                \
    __VA_ARGS__;                                                                                   \
  }

/* Declares such a function in a header, with the struct's g_autoptr or g_auto. */
#define ASSAY_DECLARE_FREE(Type, name)                                                             \
  void name (Type *self);                                                                          \
  G_DEFINE_AUTOPTR_CLEANUP_FUNC (Type, name)
#define ASSAY_DECLARE_CLEAR(Type, name)                                                            \
  void name (Type *self);                                                                          \
  G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Type, name)

/* The same for a struct that one file knows, with its g_autoptr or g_auto. */
#define ASSAY_LOCAL_FREE(Type, name, ...)                                                          \
  static ASSAY_FREE_FUNC (Type, name, __VA_ARGS__)                                                 \
  G_DEFINE_AUTOPTR_CLEANUP_FUNC (Type, name)
#define ASSAY_LOCAL_CLEAR(Type, name, ...)                                                         \
  static ASSAY_CLEAR_FUNC (Type, name, __VA_ARGS__)                                                \
  G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Type, name)

/* g_clear_pointer as an expression. */
#define assay_drop(pointer, destroy)                                                               \
  ((pointer) != NULL ? (destroy (pointer), (void) ((pointer) = NULL)) : (void) 0)
