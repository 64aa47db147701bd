package dev.perigee.console;

import dev.perigee.console.Entry.Call;
import dev.perigee.console.Entry.Happening;
import dev.perigee.console.Entry.LogLine;
import dev.perigee.console.Entry.StatusPoint;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Changes of a board that a viewer does not have yet.
 *
 * @param cursor what the viewer knows then
 * @param reset whether what it knew is void
 * @param fleet null when it did not change
 * @param removed instances that are gone
 * @param detail of the instance that the viewer looks at, null when it looks at none
 */
record Update(
        Cursor cursor,
        boolean reset,
        @Nullable FleetView fleet,
        List<InstanceView> instances,
        List<String> removed,
        @Nullable Detail detail) {

    /** History of one instance; empty for one that is not known. */
    record Detail(
            String processId,
            Ring.Slice<LogLine> logs,
            Ring.Slice<Call> calls,
            Ring.Slice<StatusPoint> statuses,
            Ring.Slice<Happening> lifecycle) {

        boolean isEmpty() {
            return logs.entries().isEmpty()
                    && calls.entries().isEmpty()
                    && statuses.entries().isEmpty()
                    && lifecycle.entries().isEmpty();
        }
    }

    boolean isEmpty() {
        return !reset
                && fleet == null
                && instances.isEmpty()
                && removed.isEmpty()
                && (detail == null || detail.isEmpty());
    }
}
