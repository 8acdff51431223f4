

def agrees(y, marked):
    """Whether equal outputs are marked alike."""
    seen = {}
    return all(seen.setdefault(row.tobytes(), mark) == mark for row, mark in zip(y, marked))


counts = []
fine = True
marks = numpy.load(HERE.with_name(HERE.stem + '-events.npy'))
for side, name in enumerate(('first', 'second')):
    outputs = numpy.load(HERE.with_name(f'{HERE.stem}-{name}.npy'))
    if 'event' in globals():
        held = event(outputs.astype(numpy.float64))
        fine &= bool((held == (marks[side] == 1)).all())
    else:
        held = marks[side] == 1
        fine &= agrees(outputs, marks[side])
    counts.append(int(held.sum()))
print(f'seen in {counts[FIRST]} of {len(outputs)} runs on the '
      f'{("first", "second")[FIRST]} input and in {counts[1 - FIRST]} on the '
      f'{("first", "second")[1 - FIRST]}')
if not fine:
    sys.exit('and not in the runs in which the audit saw it')
