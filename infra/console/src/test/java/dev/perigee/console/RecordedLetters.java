package dev.perigee.console;

import dev.perigee.gateway.deadletter.Letter;
import dev.perigee.gateway.deadletter.Redriven;
import dev.perigee.protocol.topic.RecordOrigin;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Dead letters in memory, with what became of them in the log of the actions. */
final class RecordedLetters implements Letters {
    private final RecordedActions log;
    private final Map<String, Letter> letters = new LinkedHashMap<>();
    private final Map<String, String> refused = new LinkedHashMap<>();
    private int most = Integer.MAX_VALUE;
    private @Nullable CountDownLatch held;

    RecordedLetters(RecordedActions log) {
        this.log = log;
    }

    /** Adds one of the key {@code t/u} on partition 3. */
    synchronized String add(long offset, String key) {
        var letter =
                new Letter(
                        new RecordOrigin("mcp.dead-letters", 3, offset),
                        ConsoleEvents.NOON,
                        key,
                        "misrouted",
                        "for a test",
                        "mcp.commands-1@" + offset,
                        10,
                        0,
                        null,
                        "restart");
        letters.put(letter.place(), letter);
        return letter.place();
    }

    /** Lets the rules refuse it. */
    synchronized void refuse(String place, String why) {
        refused.put(place, why);
    }

    /** Ends each run after so many, as an outage does. */
    synchronized void endAfter(int count) {
        most = count;
    }

    /** Holds runs until the latch is open. */
    synchronized void hold(CountDownLatch until) {
        held = until;
    }

    /** Puts one back as another program does. */
    synchronized void redrivenElsewhere(String place) {
        letters.computeIfPresent(place, (_, letter) -> marked(letter, "mcp.commands-0@77"));
    }

    /** Lets retention remove one. */
    synchronized void remove(String place) {
        letters.remove(place);
    }

    private static Letter marked(Letter it, String to) {
        return new Letter(
                it.position(),
                it.time(),
                it.key(),
                it.reason(),
                it.detail(),
                it.origin(),
                it.sizeBytes(),
                it.redrives(),
                to,
                it.command());
    }

    @Override
    public synchronized Newest newest() {
        return new Newest(letters.values().stream().map(ShownLetter::of).toList().reversed(), true);
    }

    @Override
    public synchronized List<Letter> at(Collection<String> places) {
        return letters.values().stream().filter(it -> places.contains(it.place())).toList();
    }

    @Override
    public void redrive(Collection<String> places, Consumer<Redriven> listener)
            throws ActionRefusedException, InterruptedException {
        var latch = latch();
        if (latch != null) {
            latch.await();
        }
        for (var each : outcomes(places)) {
            listener.accept(each);
        }
        if (places.size() > most()) {
            throw new ActionRefusedException(503, "no broker");
        }
    }

    private synchronized @Nullable CountDownLatch latch() {
        return held;
    }

    private synchronized int most() {
        return most;
    }

    private synchronized List<Redriven> outcomes(Collection<String> places) {
        var told = new ArrayList<Redriven>();
        for (var letter : at(places)) {
            var before = letter.redrivenTo();
            var why =
                    before == null ? refused.get(letter.place()) : "put back before, to " + before;
            if (told.size() == most) {
                break;
            }
            if (why != null) {
                told.add(new Redriven(letter, Redriven.REFUSED, null, why));
                continue;
            }
            log.note("redriven " + letter.place());
            var to = "mcp.commands-2@" + letter.position().offset();
            letters.put(letter.place(), marked(letter, to));
            told.add(new Redriven(letter, Redriven.DONE, to, null));
        }
        return told;
    }
}
