package dev.perigee.gateway.link;

import static org.assertj.core.api.Assertions.assertThat;

import dev.perigee.gateway.link.Cursors.Arrival;
import dev.perigee.protocol.limit.ByteBudget;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.SessionNotice;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The small pure parts that a session is made of. */
final class SessionStateTest {
    private static Attach.AttachedProcess process(String id, long nextSeq) {
        return new Attach.AttachedProcess(id, 5, null, "running", null, 1, nextSeq, null, null);
    }

    private static Attach.Result attached(Attach.AttachedProcess... processes) {
        return new Attach.Result(true, 1, List.of(processes), List.of(), null);
    }

    @Nested
    final class CursorsTest {
        private final Cursors cursors = new Cursors();

        private Arrival arrive(String process, long token, long seq) {
            return cursors.arrive(
                    new SessionNotice.InstanceEvent(
                            0, process, token, seq, "t", "k", null, null, null, null, null, null));
        }

        @Test
        void tellsNextRepeatAndHoleApart() {
            assertThat(arrive("a", 5, 3)).isEqualTo(Arrival.NEXT);
            assertThat(arrive("a", 5, 4)).isEqualTo(Arrival.NEXT);
            assertThat(arrive("a", 5, 4)).isEqualTo(Arrival.REPEAT);
            assertThat(arrive("a", 5, 3)).isEqualTo(Arrival.REPEAT);
            assertThat(arrive("a", 5, 6)).isEqualTo(Arrival.AFTER_HOLE);
            assertThat(arrive("b", 5, 1)).isEqualTo(Arrival.NEXT);
        }

        @Test
        void aNewerStartContinuesTheSequenceOrBeginsItAnew() {
            arrive("a", 5, 3);

            assertThat(arrive("a", 9, 4)).isEqualTo(Arrival.NEXT);
            assertThat(arrive("a", 12, 1)).isEqualTo(Arrival.NEXT);
            assertThat(arrive("a", 12, 1)).isEqualTo(Arrival.REPEAT);
            assertThat(cursors.list()).containsExactly(new Attach.Cursor("a", 12, 1));
        }

        @Test
        void aLateEntryOfAnOlderStartIsNewsAndKeepsTheToken() {
            arrive("a", 9, 4);

            assertThat(arrive("a", 5, 5)).isEqualTo(Arrival.NEXT);
            assertThat(cursors.list()).containsExactly(new Attach.Cursor("a", 9, 5));
        }

        @Test
        void forgetsWhatTheSessionNoLongerHas() {
            arrive("a", 5, 3);
            arrive("b", 5, 3);
            cursors.retain(attached(process("b", 4)));

            assertThat(cursors.list()).containsExactly(new Attach.Cursor("b", 5, 3));
        }
    }

    @Nested
    final class AckLedgerTest {
        private final AckLedger ledger = new AckLedger();

        private void ack(String process, long seq) {
            ledger.ack(
                    new SessionNotice.Ack(0, List.of(new SessionNotice.ProcessAck(process, seq))));
        }

        @Test
        void tellsTheNewestOfEachProcessThatIsThere() {
            ack("a", 3);
            ack("a", 7);
            ack("gone", 2);

            assertThat(ledger.acks(attached(process("a", 8), process("b", 2))))
                    .containsExactly(new SessionNotice.ProcessAck("a", 7));
        }

        @Test
        void neverAcknowledgesWhatAJournalDoesNotHoldYet() {
            ack("a", 7);

            assertThat(ledger.acks(attached(process("a", 7)))).isEmpty();
            assertThat(ledger.acks(attached(process("a", 100)))).as("forgotten then").isEmpty();
        }

        @Test
        void remembersTheNewestCommitOfEachTopic() {
            ledger.committed("commands", 5);
            ledger.committed("commands", 4);
            ledger.committed("requests", 1);

            assertThat(ledger.committed())
                    .containsOnly(
                            java.util.Map.entry("commands", 5L),
                            java.util.Map.entry("requests", 1L));
        }
    }

    @Nested
    final class CreditWindowTest {
        private final CreditWindow window =
                new CreditWindow(new EventMemory(ByteBudget.of(1 << 30)), 100);

        @Test
        void grantsTheWindowLessWhatIsHeld() {
            assertThat(window.grant()).isEqualTo(100);
            window.taken(30);
            assertThat(window.grant()).isEqualTo(70);
            window.taken(90);
            assertThat(window.grant()).as("overdrawn").isZero();
        }

        @Test
        void tellsReturnedAndWastedCreditOnce() {
            window.taken(30);
            window.returned(20);
            window.wasted(5);

            assertThat(window.takeReturned()).isEqualTo(25);
            assertThat(window.takeReturned()).isZero();
            assertThat(window.grant()).isEqualTo(90);
        }

        @Test
        void tellsReturnedCreditInPortions() {
            window.taken(40);
            window.returned(24);
            assertThat(window.takeReturned()).isZero();

            window.returned(1);
            assertThat(window.takeReturned()).isEqualTo(25);
        }

        @Test
        void leavesTheWorkerMostOfTheWindowWhenNothingIsHeld() {
            long atWorker = window.grant();
            for (int event = 0; event < 1_000; event++) {
                window.taken(7);
                window.returned(7);
                atWorker += window.takeReturned() - 7;
                assertThat(atWorker).isBetween(75L, 100L);
            }
        }

        @Test
        void takesAsMuchFromADebtAsWasSentTooMuch() {
            assertThat(window.grant()).isEqualTo(100);
            window.taken(250);
            assertThat(window.takeReturned()).isZero();
            window.returned(250);
            assertThat(window.takeReturned()).as("the worker has 100 again").isEqualTo(250);
        }

        @Test
        void getsNarrowerWithEachSessionAndWiderWithEachThatEnds() {
            long least = EventMemory.LEAST;
            var memory = new EventMemory(ByteBudget.of(4 * least));
            var first = new CreditWindow(memory, 3 * least);
            assertThat(first.grant()).as("the most of one").isEqualTo(3 * least);
            var second = new CreditWindow(memory, 3 * least);
            assertThat(second.grant()).isEqualTo(2 * least);

            first.taken(2 * least);
            first.returned(2 * least);
            assertThat(first.takeReturned()).as("it has one of its two").isEqualTo(least);
            var others = new CreditWindow(memory, 3 * least);
            for (int i = 0; i < 10; i++) {
                others = new CreditWindow(memory, 3 * least);
                assertThat(others.grant()).isBetween(least, 2 * least);
            }
            assertThat(others.grant()).as("each can always receive").isEqualTo(least);

            second.taken(100);
            assertThat(memory.budget().used()).isEqualTo(100);
            second.close();
            second.close();
            second.returned(100);
            assertThat(memory.budget().used()).isZero();
        }

        @Test
        void keepsWhatIsReturnedBetweenAnAttachAndItsAnswer() {
            window.taken(40);
            window.returned(10);
            assertThat(window.grant()).isEqualTo(70);
            window.returned(30);

            assertThat(window.takeReturned()).as("the first ten were granted").isEqualTo(30);
        }
    }

    @Nested
    final class InFlightTest {
        private final CallsInFlight inFlight = new CallsInFlight();

        private LinkCall call(long id, RecordOrigin origin) {
            var call = new LinkCall(id, "m", new Object(), origin, (_, _, _, _) -> {}, () -> {});
            inFlight.add(call);
            return call;
        }

        private LinkCall order(long id) {
            var call = new LinkCall(id, "m", new Object(), null, (_, _, _, _) -> {}, () -> {});
            inFlight.add(call);
            return call;
        }

        private static RecordOrigin at(long offset) {
            return new RecordOrigin("mcp.tool-requests", 0, offset);
        }

        private static Attach.Result accepted(Attach.AcceptedRecord... records) {
            return new Attach.Result(true, 1, List.of(), List.of(records), null);
        }

        @Test
        void resolvesWhatWasAcceptedHoweverFarItCameAndSendsTheRestInOrder() {
            var running = call(1, at(10));
            var order = order(2);
            var journalled = call(3, at(11));
            var unknown = call(4, at(13));
            var acked = call(5, at(12));

            var again =
                    inFlight.resume(
                            accepted(
                                    new Attach.AcceptedRecord(at(10), Attach.Progress.RUNNING),
                                    new Attach.AcceptedRecord(at(11), Attach.Progress.JOURNALLED),
                                    new Attach.AcceptedRecord(at(12), Attach.Progress.ACKED)));

            assertThat(again).containsExactly(order, unknown);
            assertThat(List.of(running, journalled, acked)).allMatch(LinkCall::hasEnded);
            assertThat(List.of(order, unknown)).noneMatch(LinkCall::hasEnded);
        }

        @Test
        void doesNotSendAgainWhatWasAnsweredBeforeTheClose() {
            var call = order(1);
            call.result(dev.perigee.protocol.json.RawJson.EMPTY_OBJECT);

            assertThat(inFlight.resume(accepted())).isEmpty();
        }

        @Test
        void drainsOnce() {
            var call = order(1);

            assertThat(inFlight.drain()).containsExactly(call);
            assertThat(inFlight.drain()).isEmpty();
        }
    }

    @Nested
    final class BackoffTest {
        @Test
        void drawsFromACeilingThatDoublesUpToTheMaximum() {
            var backoff =
                    new FullJitterBackoff(
                            Duration.ofMillis(100), Duration.ofSeconds(2), new Ceiling());

            assertThat(List.of(backoff.next(), backoff.next(), backoff.next(), backoff.next()))
                    .containsExactly(
                            Duration.ofMillis(100),
                            Duration.ofMillis(200),
                            Duration.ofMillis(400),
                            Duration.ofMillis(800));
            assertThat(backoff.next()).isEqualTo(Duration.ofMillis(1600));
            assertThat(backoff.next()).isEqualTo(Duration.ofSeconds(2));
            assertThat(backoff.next()).isEqualTo(Duration.ofSeconds(2));
            backoff.reset();
            assertThat(backoff.next()).isEqualTo(Duration.ofMillis(100));
        }

        @Test
        void drawsTheWholeRange() {
            var random = new SplittableRandom(1);
            var shortest = Duration.ofDays(1);
            var longest = Duration.ZERO;
            for (var i = 0; i < 1_000; i++) {
                var delay =
                        new FullJitterBackoff(Duration.ofMillis(100), Duration.ofSeconds(2), random)
                                .next();
                shortest = delay.compareTo(shortest) < 0 ? delay : shortest;
                longest = delay.compareTo(longest) > 0 ? delay : longest;
            }
            assertThat(shortest).isLessThan(Duration.ofMillis(5));
            assertThat(longest).isBetween(Duration.ofMillis(95), Duration.ofMillis(100));
        }

        /** Always draws the largest. */
        private static final class Ceiling implements java.util.random.RandomGenerator {
            @Override
            public long nextLong() {
                throw new UnsupportedOperationException();
            }

            @Override
            public long nextLong(long bound) {
                return bound - 1;
            }
        }
    }
}
