package dev.perigee.gateway.partition;

import dev.perigee.gateway.partition.CallTransitions.Transition;
import dev.perigee.protocol.json.InvalidRecordException;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.link.Attach;
import dev.perigee.protocol.link.HeldQuestion;
import dev.perigee.protocol.link.SessionNotice.InstanceEvent;
import dev.perigee.protocol.tool.ToolMethod;
import dev.perigee.protocol.topic.NumberMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Questions of one partition's calls by which they can go on at another worker, as the worker told
 * them: with the question's entry, or in the answer to an attach, which counts for all entries that
 * are only replayed after it. Responses to a question wait here while its call is on its way to
 * another worker. What is beyond {@link #MAX_BYTES} is not kept, as if it had not been told. For
 * the owner's thread.
 */
final class HeldQuestions {
    /** Of one partition, in bytes. */
    static final int MAX_BYTES = 4 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(HeldQuestions.class);

    private final RequestTable requests;
    private final Map<String, Long> replayEnds = new HashMap<>();
    private final NumberMap<RawJson> unread = new NumberMap<>();
    private final Map<ToolCall, Set<ToolCall>> waiting = new HashMap<>();
    private int bytes;
    private boolean linked = true;

    HeldQuestions(RequestTable requests) {
        this.requests = requests;
    }

    /**
     * A session is attached.
     *
     * @param topic of requests
     */
    void attached(Attach.Result result, String topic) {
        linked = true;
        replayEnds.clear();
        result.processes().forEach(each -> replayEnds.put(each.processId(), each.nextSeq()));
        unread.forEach((_, question) -> bytes -= question.size());
        unread.clear();
        for (var record : result.accepted()) {
            var resume = record.resume();
            if (resume != null && record.origin().topic().equals(topic)) {
                hold(record.origin().offset(), resume);
            }
        }
    }

    /** The link is recovering: its worker may have been lost with the call. */
    void suspended() {
        linked = false;
    }

    /** A server asks; an entry that is only replayed says nothing that the attach did not. */
    void asked(InstanceEvent event, long offset) {
        var resume = event.resume();
        if (resume != null && event.seq() >= replayEnds.getOrDefault(event.processId(), 0L)) {
            hold(offset, resume);
        }
    }

    private void hold(long offset, RawJson resume) {
        var call = requests.open(offset);
        if (call == null) {
            forgetUnread(offset);
            if (takes(resume)) {
                unread.put(offset, resume);
            }
        } else {
            hold(call, resume);
        }
    }

    private void hold(ToolCall call, RawJson resume) {
        HeldQuestion held;
        try {
            held = HeldQuestion.read(resume);
        } catch (InvalidRecordException e) {
            LOG.atWarn()
                    .addKeyValue("origin", call.read().origin().toString())
                    .log("A worker's question was not understood; it is lost with the worker");
            return;
        }
        var before = call.question();
        if (before != null
                && (before.held().inputId().equals(held.inputId())
                        || before.held().rounds() > held.rounds())) {
            return; // It is known, or of a round before.
        }
        if (takes(resume)) {
            if (before != null) {
                bytes -= before.resume().size();
            }
            call.question(new OpenQuestion(held, resume));
        }
    }

    private boolean takes(RawJson resume) {
        if (bytes + resume.size() > MAX_BYTES) {
            return false;
        }
        bytes += resume.size();
        return true;
    }

    private void forgetUnread(long offset) {
        var resume = unread.remove(offset);
        if (resume != null) {
            bytes -= resume.size();
        }
    }

    /** A request was read; whether it is open is in the table. */
    void opened(ToolCall call) {
        var resume = unread.get(call.offset());
        forgetUnread(call.offset());
        if (resume != null && call.equals(requests.open(call.offset()))) {
            hold(call, resume);
        }
    }

    /** Requests below this offset were answered. */
    void committed(long offset) {
        while (!unread.isEmpty() && unread.firstNumber() < offset) {
            forgetUnread(unread.firstNumber());
        }
    }

    /**
     * Whether a request is to wait: it answers a question whose call no worker has at present, or
     * one that cannot be reached, and may be lost. Then {@link #release} has it.
     */
    boolean keepsBack(ToolCall response) {
        var call = asker(response);
        if (call == null || call.question() == null || call.hasEnded() || isReached(call)) {
            return false;
        }
        waiting.computeIfAbsent(call, _ -> new LinkedHashSet<>()).add(response);
        return true;
    }

    private boolean isReached(ToolCall call) {
        return linked && call.stage() == CallStage.ACCEPTED;
    }

    /** The link is there again: what waited for that takes its turn, and whether something did. */
    boolean release(FairQueue queue) {
        boolean any = false;
        for (var call : List.copyOf(waiting.keySet())) {
            any |= isReached(call) && release(call, queue);
        }
        return any;
    }

    /**
     * A worker has the call now, or it has ended: what waited for that takes its turn.
     *
     * @return whether there was something
     */
    boolean release(ToolCall call, FairQueue queue) {
        var released = waiting.remove(call);
        if (released == null) {
            return false;
        }
        released.stream().filter(each -> !each.hasEnded()).forEach(queue::ready);
        return true;
    }

    /** A request took a step; a response may count from when it is sent until it surely did not. */
    void stepped(ToolCall call, Transition step) {
        boolean missing =
                step.event() == CallEvent.ATTACHED_SAME_WITHOUT && step.from() == CallStage.UNSURE;
        boolean done = step.event() == CallEvent.RESULT || step.event() == CallEvent.ATTACHED_AFTER;
        if (step.to().mayBeAtWorker() || done) {
            sent(call);
        } else if (step.event() == CallEvent.NOT_RUN || missing) {
            refused(call);
        }
    }

    private void sent(ToolCall response) {
        var question = asked(response);
        if (question != null) {
            question.sent(response.offset());
        }
    }

    /** A request surely did not run; where it was a response it did not count. */
    void refused(ToolCall response) {
        var question = asked(response);
        if (question != null) {
            question.refused(response.offset());
        }
    }

    private @Nullable OpenQuestion asked(ToolCall response) {
        var call = asker(response);
        var question = call == null ? null : call.question();
        return question != null
                        && Objects.equals(
                                question.held().inputId(), response.read().request().inputId())
                ? question
                : null;
    }

    /** The open call that a response is to, of the same user; null where it is none. */
    private @Nullable ToolCall asker(ToolCall response) {
        return response.read().method() == ToolMethod.CALL_RESPOND
                ? requests.of(response.user() + "/" + response.read().request().inReplyTo())
                : null;
    }

    /** A request has its answer. */
    void ended(ToolCall call) {
        var question = call.question();
        if (question != null) {
            bytes -= question.resume().size();
        }
        var asker = asker(call);
        if (asker != null) {
            var _ =
                    waiting.computeIfPresent(
                            asker,
                            (_, responses) ->
                                    responses.remove(call) && responses.isEmpty()
                                            ? null
                                            : responses);
        }
    }
}
