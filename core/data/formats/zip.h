/* Members of ZIP archives as NumPy writes them (.npz): stored or deflated, with sizes of 64 bits,
 * in one part, not encrypted. Source: PKWARE's APPNOTE.TXT, sections 4.3 and 4.5.3. */
#pragma once

#include <glib.h>

typedef struct {
  char *name;
  gsize packed;   /* bytes in the archive */
  gsize size;     /* bytes of the content */
  gsize at;       /* of the local header */
  guint32 crc;    /* of the content */
  guint16 method; /* 0: stored, 8: deflated */
} AssayZipMember;

/* The members of the archive @file, in its order. ASSAY_ERROR_DATA: not an archive, truncated, or
 * of a form that is not read. */
GArray *assay_zip_members (GBytes *file, GError **error);
/* The content of @member, checked against its checksum; of a stored one the bytes of @file. */
GBytes *assay_zip_read (GBytes *file, const AssayZipMember *member, GError **error);
