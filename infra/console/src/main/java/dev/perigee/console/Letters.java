package dev.perigee.console;

import dev.perigee.gateway.deadletter.Letter;
import dev.perigee.gateway.deadletter.Redriven;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/** Dead letters, to be shown and put back. Any thread; no call waits without end. */
interface Letters {
    /**
     * Newest letters.
     *
     * @param letters the newest first
     * @param complete whether these are all that there are
     */
    record Newest(List<ShownLetter> letters, boolean complete) {
        public Newest {
            letters = List.copyOf(letters);
        }
    }

    /**
     * Those that came last, as many as a page can show.
     *
     * @throws ActionRefusedException when they cannot be read
     */
    Newest newest() throws ActionRefusedException, InterruptedException;

    /**
     * The letters at these places, with their marks; those that retention has removed are missing.
     *
     * @param places {@code partition@offset} of each
     * @throws ActionRefusedException when they, or their marks, cannot be read in time
     */
    List<Letter> at(Collection<String> places) throws ActionRefusedException, InterruptedException;

    /**
     * Puts back those that were not, and tells of each when it is sure. Ends any other run.
     *
     * @throws ActionRefusedException when it cannot go on: what was not told then was put back if
     *     it has a mark
     */
    void redrive(Collection<String> places, Consumer<Redriven> listener)
            throws ActionRefusedException, InterruptedException;
}
