/* How functions of the library fail. */
#pragma once

#include <glib.h>

/* Keeps the message for assay_api_message; the status of @error, which is freed. */
int assay_lib_fail (GError *error);
/* At the beginning of every function: there is no message. */
void assay_lib_begin (void);
