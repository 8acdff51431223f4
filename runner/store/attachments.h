/* What a run keeps beside outcomes and reports show as it is: pictures, and what audits chose.
 * Plain data, so that reports can see it. */
#pragma once

#include "core/base/free.h"
#include "core/stats/epsilon.h"

/* @height rows of @width pixels of @channels bytes (3: red, green, blue; 1: grey), without gaps. */
typedef struct {
  gsize width;
  gsize height;
  gsize channels;
  guint8 *data;
} AssayThumbnail;

ASSAY_DECLARE_FREE (AssayThumbnail, assay_thumbnail_free)

typedef enum {
  ASSAY_SHOWN_ORIGINAL,
  ASSAY_SHOWN_RELEASED,
  ASSAY_SHOWN_RECOVERED,
} AssayShownRole;

/* The pairs of inputs that an audit tried, and the one that it chose. */
typedef struct {
  guint tried;         /* 0: there are none */
  guint offered;       /* by the defense, and made of its domain */
  guint own;           /* by the defense */
  gboolean is_trusted; /* none is beyond the domain: the defense is never given such inputs */
  char *decisive;      /* the inputs of that pair, in words; NULL: none */
} AssayPairsRecord;

/* What an audit chose and counted. One run: no pair, and no event. */
typedef struct {
  AssayAudit counts;
  guint pair;
  gboolean is_swapped;
  guint64 trained_on;
  gboolean draws_own; /* a program that does not draw from its seed alone: no run comes again */
  char *says;         /* the event, in words */
  char *dependent;    /* why its runs are not independent; NULL: they seem to be */
  AssayPairsRecord pairs;
} AssayAuditRecord;

ASSAY_DECLARE_FREE (AssayAuditRecord, assay_audit_record_free)
