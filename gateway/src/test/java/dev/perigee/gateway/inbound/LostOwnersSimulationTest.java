package dev.perigee.gateway.inbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Owners and sessions of one partition that are lost at random moments, in any combination, while
 * requests arrive, are sent, run and are answered in any order, and commits take effect late, or
 * without the owner's knowing. The owner decides as the gateway's does.
 */
@DisplayName("Whoever is lost, and whenever")
final class LostOwnersSimulationTest {
    private static final int REQUESTS = 400;
    private static final int STEPS = 4_000;

    private static List<Long> seeds() {
        var seeds = new ArrayList<Long>();
        for (long seed = 1; seed <= 50; seed++) {
            seeds.add(seed);
        }
        return seeds;
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @DisplayName("no request runs twice that must not, none is lost, what is committed stays")
    void simulated(long seed) {
        var world = new World(seed);
        for (int step = 0; step < STEPS; step++) {
            world.step();
        }
        world.calm();
        for (long offset = 0; offset < REQUESTS; offset++) {
            var which = "seed " + seed + ", request " + offset;
            assertThat(world.runs.getOrDefault(offset, 0))
                    .as(which)
                    .isLessThanOrEqualTo(World.isHarmless(offset) ? 2 : 1);
            assertThat(world.answers.getOrDefault(offset, 0)).as(which).isPositive();
        }
        assertThat(world.answersAfterCommit).as("seed %d", seed).isEmpty();
    }

    private enum Stage {
        WAITING,
        UNSURE,
        AT_WORKER
    }

    private static final class Call {
        private Stage stage = Stage.WAITING;
        private int possibleRuns;
    }

    private static final class World {
        final Map<Long, Integer> runs = new HashMap<>();
        final Map<Long, Integer> answers = new HashMap<>();
        final Set<Long> answersAfterCommit = new HashSet<>();
        private final Random random;
        private long end;
        private long committed;
        private String metadata = "";
        private long epoch;
        private long session = -1;
        private final Set<Long> running = new HashSet<>();
        private final Set<Long> finished = new HashSet<>();
        private OffsetTracker tracker = new OffsetTracker(1, 1);
        private RequestLedger ledger;
        private EarlierRuns earlier;
        private boolean attached;
        private final Map<Long, Call> open = new HashMap<>();
        private final List<RequestLedger.Position> underWay = new ArrayList<>();

        World(long seed) {
            random = new Random(seed);
            ledger = begin();
            earlier = EarlierRuns.none();
        }

        static boolean isHarmless(long offset) {
            return offset % 3 == 0;
        }

        void step() {
            switch (random.nextInt(40)) {
                case 0 -> loseOwner();
                case 1 -> loseSession();
                case 2 -> {
                    loseOwner();
                    loseSession();
                }
                case 3, 4, 5, 6 -> attach();
                case 7, 8, 9, 10 -> end = Math.min(REQUESTS, end + random.nextInt(4));
                case 11, 12, 13, 14, 15 -> read(1 + random.nextInt(8));
                case 16, 17, 18 -> startCommit();
                case 19, 20, 21 -> endCommit();
                case 22 -> ledger.period();
                case 23, 24, 25, 26, 27, 28, 29, 30 -> pick(open.keySet(), this::send);
                default -> pick(running, this::finish);
            }
        }

        /** Nothing is lost any more. */
        void calm() {
            end = REQUESTS;
            attach();
            for (int round = 0; round < REQUESTS; round++) {
                read(REQUESTS);
                startCommit();
                endCommit();
                Set.copyOf(open.keySet()).forEach(this::send);
                Set.copyOf(running).forEach(this::finish);
            }
        }

        private RequestLedger begin() {
            tracker = new OffsetTracker(REQUESTS, REQUESTS);
            tracker.advanceTo(committed);
            var progress = ProgressCodec.decode(metadata, committed);
            earlier = new EarlierRuns(progress, end);
            attached = false;
            open.clear();
            underWay.clear();
            return new RequestLedger(tracker, progress, end);
        }

        /** Of its commits under way some take effect, the later ones only after the earlier. */
        private void loseOwner() {
            for (var position : underWay.subList(0, random.nextInt(underWay.size() + 1))) {
                durable(position);
            }
            ledger = begin();
        }

        private void loseSession() {
            session = -1;
            running.clear();
            finished.clear();
            attached = false;
            ledger.detached();
            earlier.detached();
            for (var offset : List.copyOf(open.keySet())) {
                var call = open.get(offset);
                if (call != null && call.stage == Stage.AT_WORKER) {
                    call.possibleRuns++;
                    call.stage = Stage.WAITING;
                }
            }
        }

        private void attach() {
            if (attached) {
                return;
            }
            epoch++;
            session = session < 0 ? epoch : session;
            attached = true;
            earlier.attached(session);
            ledger.attached(session);
            for (var offset : List.copyOf(open.keySet())) {
                var call = open.get(offset);
                if (call != null && call.stage == Stage.UNSURE) {
                    begin(offset, call);
                }
            }
        }

        private void read(int records) {
            for (int i = 0; i < records && tracker.next() < end; i++) {
                long offset = tracker.next();
                tracker.add(offset, 1);
                var call = new Call();
                if (earlier.isDone(offset)) {
                    tracker.complete(offset);
                } else {
                    open.put(offset, call);
                    if (earlier.isInDoubt(offset)) {
                        call.stage = Stage.UNSURE;
                    } else {
                        begin(offset, call);
                    }
                }
            }
        }

        private void begin(long offset, Call call) {
            if (attached && finished.contains(offset)) {
                open.remove(offset);
                tracker.complete(offset);
            } else if (attached && running.contains(offset)) {
                call.stage = Stage.AT_WORKER;
            } else {
                call.stage = Stage.WAITING;
                call.possibleRuns = earlier.lostRuns(offset);
            }
        }

        private void send(long offset) {
            var call = open.get(offset);
            if (call == null || call.stage != Stage.WAITING || !attached) {
                return;
            }
            if (call.possibleRuns > 1) {
                answer(offset);
            } else if (ledger.mayDispatch(offset)) {
                if (call.possibleRuns > 0 && !isHarmless(offset)) {
                    answer(offset);
                } else {
                    runs.merge(offset, 1, Integer::sum);
                    running.add(offset);
                    call.stage = Stage.AT_WORKER;
                }
            }
        }

        /** The session keeps a result until there is an owner who knows the request. */
        private void finish(long offset) {
            if (attached && open.containsKey(offset)) {
                running.remove(offset);
                finished.add(offset);
                answer(offset);
            }
        }

        private void answer(long offset) {
            var durable = ProgressCodec.decode(metadata, committed);
            if (offset < committed || durable.completed().contains(offset)) {
                answersAfterCommit.add(offset);
            }
            answers.merge(offset, 1, Integer::sum);
            open.remove(offset);
            tracker.complete(offset);
        }

        private void startCommit() {
            var position = ledger.toCommit(ProgressCodec.MAX_BITMAP_BYTES);
            if (position != null) {
                underWay.add(position);
            }
        }

        private void endCommit() {
            if (!underWay.isEmpty()) {
                var position = underWay.removeFirst();
                durable(position);
                ledger.committed(position);
            }
        }

        private void durable(RequestLedger.Position position) {
            committed = position.offset().offset();
            metadata = position.offset().metadata();
        }

        private interface Action {
            void on(long offset);
        }

        private void pick(Set<Long> offsets, Action action) {
            if (!offsets.isEmpty()) {
                action.on(List.copyOf(offsets).get(random.nextInt(offsets.size())));
            }
        }
    }
}
