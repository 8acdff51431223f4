/* Messages between the processes of a run. */
#include "runner/workers/transport.h"

#include <string.h>

gboolean
assay_transport_send (AssayTransport *transport, guint peer, AssayMessage kind, guint64 number,
                      GBytes *rest, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GBytes) message = NULL;
  const guint8 first = (guint8) kind;

  g_byte_array_append (bytes, &first, 1);
  g_byte_array_append (bytes, (const guint8 *) &number, sizeof number);
  if (rest != NULL && g_bytes_get_size (rest) > 0)
    g_byte_array_append (bytes, g_bytes_get_data (rest, NULL), (guint) g_bytes_get_size (rest));
  message = g_byte_array_free_to_bytes (g_steal_pointer (&bytes));
  return transport->send (transport, peer, message, error);
}

gboolean
assay_transport_send_text (AssayTransport *transport, guint peer, AssayMessage kind, guint64 number,
                           const char *text, GError **error)
{
  g_autoptr (GBytes) rest = g_bytes_new (text, strlen (text));

  return assay_transport_send (transport, peer, kind, number, rest, error);
}

gboolean
assay_message_open (GBytes *message, AssayMessage *ret_kind, guint64 *ret_number, GBytes **ret_rest)
{
  const gsize head = 1 + sizeof *ret_number;
  gsize size;
  const guint8 *data = g_bytes_get_data (message, &size);

  if (size < head || strchr ("bceqhprfx", data[0]) == NULL || data[0] == '\0')
    return FALSE;
  *ret_kind = (AssayMessage) data[0];
  memcpy (ret_number, data + 1, sizeof *ret_number);
  *ret_rest = g_bytes_new_from_bytes (message, head, size - head);
  return TRUE;
}
