/* An event in words and numbers, by which it can be checked by hand. */
#pragma once

#include "attacks/mechanisms/event-learn.h"

/* "score of the classifier at least 0.98: y1 >= 0.5". Of a learned score and outputs of one column
 * the values that are in the event, where they are few intervals; else the largest terms of its
 * formula. */
char *event_says (const EventLesson *lesson, const EventScore *score, const EventCut *cut);

/* The event as functions in Python: `score (y)` and `event (y)` where the score can be written so,
 * `event (y)` alone where the outputs have one column and the event is made of few intervals of it,
 * else NULL. */
char *event_in_python (const EventLesson *lesson, const EventScore *score, const EventCut *cut);
