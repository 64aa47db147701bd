package dev.perigee.gateway.partition;

import dev.perigee.gateway.inbound.Inbound.RequestRead;
import dev.perigee.gateway.inbound.SimulatedGroup;
import dev.perigee.gateway.partition.CallTransitions.Transition;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.limit.IdBudget;
import dev.perigee.protocol.limit.RecentIds;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.Attach.AcceptedRecord;
import dev.perigee.protocol.link.Attach.Progress;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.tool.ToolPath;
import dev.perigee.protocol.tool.ToolRequest;
import dev.perigee.protocol.topic.RecordOrigin;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One partition of requests with its group, one owner after the other, a link and one session after
 * the other, all in one thread and drawn from a seed. The owner's decisions are the real ones:
 * {@link RequestTable}, {@link CallTransitions} and the ledger of the group. The worker's are those
 * of its contract: what it accepted it does not run again, and what may have run it only runs when
 * that is harmless.
 */
final class SimulatedPartition {
    private static final String TOPIC = "requests";

    private final SplittableRandom random;
    private final int requests;
    private final boolean awaitsReplay;
    private final SimulatedGroup group;
    private long end;

    private RequestTable table;
    private boolean attached;
    private Map<Long, String> answeredByOwner = new HashMap<>();
    private final Set<Long> over = new HashSet<>();

    private long epoch;
    private @Nullable Session session;
    private final List<Order> wire = new ArrayList<>();
    private final List<Verdict> verdicts = new ArrayList<>();

    private final Map<Long, Integer> runs = new HashMap<>();
    private final Map<Long, Integer> answers = new HashMap<>();
    private final Map<Long, List<String>> stories = new HashMap<>();
    private final List<String> answersAfterCommit = new ArrayList<>();
    private final List<String> secondAnswers = new ArrayList<>();
    private final List<String> answersBeforeReplay = new ArrayList<>();

    /** Requests whose results the attached session has to replay. */
    private final Set<Long> toReplay = new HashSet<>();

    private final Set<Transition> taken = new HashSet<>();

    /** What a worker has of the partition. */
    private record Session(long createdEpoch, Map<Long, Progress> requests) {
        Attach.Result result() {
            return new Attach.Result(
                    true,
                    createdEpoch,
                    List.of(),
                    requests.entrySet().stream()
                            .map(each -> new AcceptedRecord(origin(each.getKey()), each.getValue()))
                            .toList(),
                    null);
        }

        List<Long> thatAre(Progress progress) {
            return requests.keySet().stream().filter(o -> requests.get(o) == progress).toList();
        }
    }

    private record Order(long offset, boolean mayHaveRun) {}

    private record Verdict(long offset, CallEvent event) {}

    /**
     * @param awaitsReplay false for an owner that answers what is late before it heard the replay
     */
    SimulatedPartition(long seed, int requests, boolean awaitsReplay) {
        this.random = new SplittableRandom(seed);
        this.requests = requests;
        this.awaitsReplay = awaitsReplay;
        this.group = new SimulatedGroup(requests);
        this.table = begin();
    }

    /** A call of a tool that may run again. */
    static boolean isHarmless(long offset) {
        return offset % 3 == 0;
    }

    int runs(long offset) {
        return runs.getOrDefault(offset, 0);
    }

    int answers(long offset) {
        return answers.getOrDefault(offset, 0);
    }

    /** What happened to requests that were answered after the group had noted their answer. */
    Collection<String> answersAfterCommit() {
        return answersAfterCommit;
    }

    /** What happened to requests that had two different answers of one owner. */
    Collection<String> secondAnswersOfOneOwner() {
        return secondAnswers;
    }

    /** What happened to requests that an owner answered though a journal has their result. */
    Collection<String> answersBeforeReplay() {
        return answersBeforeReplay;
    }

    Collection<Transition> taken() {
        return taken;
    }

    /** What happened to a request, for who looks for the reason of a failure. */
    List<String> storyOf(long offset) {
        return stories.getOrDefault(offset, List.of());
    }

    void step() {
        switch (random.nextInt(74)) {
            case 0 -> loseOwner();
            case 1 -> loseSession();
            case 2 -> {
                loseOwner();
                loseSession();
            }
            case 3, 4 -> loseLink();
            case 5, 6, 7, 8, 9, 10 -> attach();
            case 11, 12, 13, 14, 15 -> end = Math.min(requests, end + random.nextInt(4));
            case 16, 17, 18, 19, 20 -> read(1 + random.nextInt(8));
            case 21, 22, 23, 24 -> group.startCommit();
            case 25, 26, 27 -> endCommit();
            case 28, 29 -> group.period();
            case 30, 59 -> pick(table.open(), this::expire);
            case 31, 32, 33 -> ofStage(CallStage.LOOKING).forEach(this::find);
            case 34, 35, 36, 37, 38, 60, 61, 62, 63, 64, 65 ->
                    pick(ofStage(CallStage.QUEUED), this::send);
            case 66, 67 -> pick(ofStage(CallStage.ACCEPTED), this::expire);
            case 68 -> pick(ofStage(CallStage.UNSURE), this::expire);
            case 69 -> pick(ofStage(CallStage.SENDING), this::expire);
            case 70, 71 -> pick(wire, this::arrive);
            case 72, 73 -> pick(sessions(Progress.RUNNING), this::progress);
            case 39, 40, 41, 42, 43, 44, 45 -> pick(wire, this::arrive);
            case 46, 47, 48, 49, 50 -> pick(verdicts, this::hear);
            case 51, 52, 53, 54, 55 -> pick(sessions(Progress.RUNNING), this::finish);
            default -> pick(sessions(Progress.JOURNALLED), this::tell);
        }
    }

    /** Nothing is lost any more. */
    void calm() {
        end = requests;
        for (int round = 0; round < requests; round++) {
            attach();
            read(requests);
            group.startCommit();
            endCommit();
            ofStage(CallStage.LOOKING).forEach(this::find);
            table.open().forEach(this::send);
            List.copyOf(wire).forEach(this::arrive);
            List.copyOf(verdicts).forEach(this::hear);
            sessions(Progress.RUNNING).forEach(this::finish);
            sessions(Progress.JOURNALLED).forEach(this::tell);
            table.open().forEach(this::expireUnsure);
        }
    }

    private RequestTable begin() {
        stories.keySet().forEach(offset -> note(offset, "another owner"));
        attached = false;
        toReplay.clear();
        verdicts.clear();
        answeredByOwner = new HashMap<>();
        var ids = new RecentIds(IdBudget.ofBytes(16 << 20), Duration.ofHours(1));
        var next = new RequestTable(ids);
        next.continuing(group.begin(end));
        next.committed(group.committed());
        return next;
    }

    /** What it had sent may still arrive. */
    private void loseOwner() {
        group.lose(random);
        table.close();
        List.copyOf(wire).forEach(this::arriveOrNot);
        table = begin();
    }

    /** The worker forgets everything; an owner that is attached hears of it. */
    private void loseSession() {
        session = null;
        toReplay.clear();
        wire.clear();
        verdicts.clear();
        if (attached) {
            if (random.nextBoolean()) {
                ofStage(CallStage.SENDING).forEach(call -> happened(call, CallEvent.MAYBE_TAKEN));
            }
            detach(CallEvent.LOST, CallEvent.SESSION_GONE);
        }
    }

    private List<ToolCall> ofStage(CallStage stage) {
        return table.open().stream().filter(call -> call.stage() == stage).toList();
    }

    /** The session lives on. */
    private void loseLink() {
        if (attached) {
            var unsent = new HashSet<Long>();
            for (var order : List.copyOf(wire)) {
                if (random.nextInt(4) == 0) {
                    wire.remove(order);
                    unsent.add(order.offset());
                } else {
                    arriveOrNot(order);
                }
            }
            verdicts.clear();
            ofStage(CallStage.SENDING).stream()
                    .filter(call -> unsent.contains(call.offset()))
                    .forEach(call -> happened(call, CallEvent.NOT_RUN));
            detach(CallEvent.MAYBE_TAKEN, CallEvent.SESSION_AWAY);
        }
    }

    private void detach(CallEvent underWay, CallEvent others) {
        attached = false;
        toReplay.clear();
        group.detached();
        table.detached();
        for (var call : table.open()) {
            happened(call, call.stage() == CallStage.SENDING ? underWay : others);
        }
    }

    private void attach() {
        if (attached) {
            return;
        }
        epoch++;
        if (session == null) {
            session = new Session(epoch, new TreeMap<>());
        }
        attached = true;
        toReplay.addAll(sessions(Progress.JOURNALLED));
        boolean same = table.attached(session.result(), TOPIC);
        for (var call : table.open()) {
            happened(call, table.whenAttached(call, same));
        }
        group.attached(session.createdEpoch());
    }

    private void read(int records) {
        for (int i = 0; i < records && group.next() < end; i++) {
            long offset = group.next();
            group.read(offset);
            var call = call(offset);
            switch (table.arrived(call, Instant.EPOCH)) {
                case NEW -> happened(call, isOver(call) ? CallEvent.REFUSED : CallEvent.ADMITTED);
                case HELD -> happened(call, CallEvent.HELD);
                case IN_DOUBT -> happened(call, CallEvent.IN_DOUBT);
                case ANSWERED -> group.done(offset);
                case NO_ROOM, CANCEL, REPEATED ->
                        throw new IllegalStateException("Every id is there once");
                case ANSWERING -> throw new IllegalStateException("Results are durable at once");
            }
        }
    }

    private void endCommit() {
        group.endCommit();
        table.committed(group.committed());
    }

    private void expire(ToolCall call) {
        over.add(call.offset());
        switch (call.stage()) {
            case QUEUED -> happened(call, CallEvent.LATE);
            case ACCEPTED, UNSURE -> {
                if (random.nextBoolean()) {
                    happened(call, CallEvent.SILENT);
                }
            }
            case ARRIVED, LOOKING, SENDING, ENDED -> {}
        }
    }

    /** What is unsure although a session is attached ends by time alone. */
    private void expireUnsure(ToolCall call) {
        if (call.stage() == CallStage.UNSURE) {
            happened(call, CallEvent.SILENT);
        }
    }

    private void find(ToolCall call) {
        call.resolve("server");
        happened(call, CallEvent.FOUND);
    }

    private void send(ToolCall call) {
        if (attached && call.stage() == CallStage.QUEUED && group.mayDispatch(call.offset())) {
            happened(call, CallEvent.TURN);
        }
    }

    private void arriveOrNot(Order order) {
        if (random.nextBoolean()) {
            arrive(order);
        } else {
            wire.remove(order);
        }
    }

    private void arrive(Order order) {
        wire.remove(order);
        var at = session;
        if (at == null) {
            return;
        }
        if (at.requests().containsKey(order.offset())) {
            verdicts.add(new Verdict(order.offset(), CallEvent.TAKEN));
        } else if (random.nextInt(50) == 0 || (order.mayHaveRun() && !isHarmless(order.offset()))) {
            verdicts.add(new Verdict(order.offset(), CallEvent.TURNED_DOWN));
        } else {
            runs.merge(order.offset(), 1, Integer::sum);
            note(order.offset(), "runs in session " + at.createdEpoch());
            at.requests().put(order.offset(), Progress.RUNNING);
            if (random.nextInt(3) > 0) { // Else its result, or an attach, says that it is taken.
                verdicts.add(new Verdict(order.offset(), CallEvent.TAKEN));
            }
        }
    }

    private void hear(Verdict verdict) {
        verdicts.remove(verdict);
        var call = table.open(verdict.offset());
        if (call != null && call.stage() == CallStage.SENDING) {
            happened(call, verdict.event());
        }
    }

    private void finish(long offset) {
        sessionThere().requests().put(offset, Progress.JOURNALLED);
    }

    /** An event about a running request, which says that it was accepted. */
    private void progress(long offset) {
        var call = attached ? table.open(offset) : null;
        if (call != null) {
            happened(call, CallEvent.PROGRESSED);
            hear(new Verdict(offset, CallEvent.TAKEN));
        }
    }

    /** The worker tells a result, which is published at once, and acknowledged or not. */
    private void tell(long offset) {
        if (!attached) {
            return;
        }
        toReplay.remove(offset);
        if (!table.isFinal(offset)) {
            var call = table.open(offset);
            if (call != null) {
                happened(call, CallEvent.RESULT);
            } else {
                answered(offset, result());
                if (offset >= group.settled()) {
                    table.answeredBeforeRead(offset);
                    table.durableBeforeRead(offset); // Published at once.
                }
            }
        }
        if (random.nextInt(4) > 0) {
            sessionThere().requests().put(offset, Progress.ACKED);
        }
    }

    private String result() {
        return "session " + sessionThere().createdEpoch();
    }

    private Session sessionThere() {
        if (session == null) {
            throw new IllegalStateException("There is no session");
        }
        return session;
    }

    private void happened(ToolCall call, CallEvent event) {
        var facts =
                new CallFacts(
                        call.isResolved(),
                        true,
                        true,
                        call.possibleRuns(),
                        isOver(call),
                        attached,
                        awaitsReplay && !toReplay.isEmpty(),
                        call.rounds());
        var step = CallTransitions.next(call.stage(), event, facts);
        call.go(step);
        taken.add(step);
        note(call.offset(), event + " -> " + step.to());
        switch (step.action()) {
            case SEND -> wire.add(new Order(call.offset(), call.possibleRuns() > 0));
            case ANSWER, RELAY -> close(call, true, true);
            case PUBLISH -> close(call, false, true);
            case SETTLE -> close(call, false, false);
            case NOTHING, FIND_SERVER, ENQUEUE, PUT_ASIDE, AWAIT_RESULT, AWAIT_ATTACH -> {}
        }
    }

    private void close(ToolCall call, boolean byGateway, boolean answer) {
        if (answer && byGateway && toReplay.contains(call.offset())) {
            answersBeforeReplay.add(storyOf(call.offset()).toString());
        }
        if (answer) {
            answered(call.offset(), byGateway ? "the gateway" : result());
        }
        table.closed(call, byGateway);
        table.settled(call, false, Instant.EPOCH);
        group.done(call.offset());
    }

    /**
     * @param id of the answer's record: a result that comes again is the same
     */
    private void answered(long offset, String id) {
        note(offset, "answered by " + id);
        var first = answeredByOwner.putIfAbsent(offset, id);
        if (first == null && group.isNoted(offset)) {
            answersAfterCommit.add(offset + ": " + storyOf(offset));
        }
        if (first != null && !first.equals(id)) {
            secondAnswers.add(storyOf(offset).toString());
        }
        answers.merge(offset, 1, Integer::sum);
    }

    private boolean isOver(ToolCall call) {
        return over.contains(call.offset());
    }

    private void note(long offset, String what) {
        stories.computeIfAbsent(offset, _ -> new ArrayList<>()).add(what);
    }

    private List<Long> sessions(Progress progress) {
        return session == null ? List.of() : session.thatAre(progress);
    }

    private <T> void pick(List<T> from, Consumer<T> action) {
        if (!from.isEmpty()) {
            action.accept(from.get(random.nextInt(from.size())));
        }
    }

    private static RecordOrigin origin(long offset) {
        return new RecordOrigin(TOPIC, 0, offset);
    }

    private static ToolCall call(long offset) {
        return new ToolCall(
                new RequestRead(
                        origin(offset),
                        ToolRequest.call("r" + offset, "t", "u", "s:echo", RawJson.of("{}"), null),
                        ToolMethod.TOOLS_CALL,
                        ToolPath.parse("s:echo"),
                        Instant.EPOCH,
                        Instant.EPOCH,
                        Instant.EPOCH,
                        null,
                        null),
                "group");
    }
}
