package dev.perigee.local.connect;

import dev.perigee.local.connect.Action.Send;
import dev.perigee.protocol.json.Json;
import dev.perigee.protocol.json.JsonRpc;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.protocol.tool.LogLevel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Request of revision 2026-07-28 over HTTP, with its retries: runs on while its client gathers what
 * a server asked for, and goes on with what the retry brings. Safe for use by any thread.
 *
 * <pre>
 *   answering ── a question ──▶ parked ── retry ──▶ answering ── reply ──▶ over
 *       what the retry does not answer is asked again; a reply while parked waits for the retry
 * </pre>
 *
 * Progress and messages are for who asked last, as that request wants them.
 */
final class DoorCall implements SessionDriver.Outlet {
    private static final String PROGRESS_TOKEN = "progressToken";

    private final Subject subject;
    private final Function<DoorCall, String> parking;
    private final Places.Place place;
    private final Places.Place bytes;
    private final Map<String, Asked> asked = new LinkedHashMap<>();
    private RawJson id;
    private @Nullable SessionThread thread;
    private @Nullable MessageStream stream;
    private @Nullable RawJson reply;
    private boolean isRetried;
    private @Nullable RawJson progressToken;
    private @Nullable LogLevel logLevel;
    private boolean hasNews;
    private boolean isOver;

    /**
     * Of whom and what a call is: a retry has to be of the same.
     *
     * @param digest of the parameters but {@code _meta}, responses and state
     */
    record Subject(DoorUser.Key user, String method, String digest) {}

    private record Asked(long id, RawJson request) {}

    private record Question(String method, RawJson params) {}

    /**
     * A call without its thread.
     *
     * @param parking takes it and gives the state by which a retry finds it
     * @param place given back at its end
     * @param bytes of the request, and of a reply that waits; given back then, too
     */
    DoorCall(
            Subject subject,
            RawJson id,
            MessageStream stream,
            Function<DoorCall, String> parking,
            Places.Place place,
            Places.Place bytes) {
        this.subject = subject;
        this.id = id;
        this.stream = stream;
        this.parking = parking;
        this.place = place;
        this.bytes = bytes;
    }

    Subject subject() {
        return subject;
    }

    /** Begins, on this thread. */
    synchronized void begin(SessionThread itsThread) {
        thread = itsThread;
    }

    @Override
    public synchronized void send(Send send) {
        switch (send.kind()) {
            case REPLY -> {
                reply = kept(send.message());
                asked.clear();
                hasNews = false;
                if (thread != null) {
                    thread.end();
                }
                deliver();
            }
            case NOTE -> {
                var wanted = wanted(send);
                if (stream != null && wanted != null) {
                    stream.add(wanted);
                }
            }
            case QUESTION -> ask(send);
            case WITHDRAWAL -> {} // The reply follows.
        }
    }

    /** The reply, where there is room for it until somebody takes it. */
    private RawJson kept(RawJson message) {
        return stream != null || bytes.grow(message.size())
                ? message
                : Messages.error(
                        id,
                        Messages.INTERNAL_ERROR,
                        "The call has ended, but too much waits for its user to keep the reply");
    }

    /** A notification as the latest request wants it; null where it does not. */
    private @Nullable Send wanted(Send send) {
        if (!isRetried) {
            return send;
        }
        var message = JsonRpc.read(send.message().bytes());
        var params = message.params();
        var method = message.method();
        if (params == null || method == null) {
            return send;
        }
        var members = JsonObjects.members(params);
        if (members.containsKey(PROGRESS_TOKEN)) {
            if (progressToken == null) {
                return null;
            }
            members.put(PROGRESS_TOKEN, progressToken);
            return Send.note(
                    send.about(), Messages.notification(method, new LinkedHashMap<>(members)));
        }
        var said = JsonObjects.text(members.get("level"));
        var level = said == null ? null : LogLevel.of(said);
        return level == null || (logLevel != null && level.compareTo(logLevel) >= 0) ? send : null;
    }

    private void ask(Send send) {
        var message = JsonRpc.read(send.message().bytes());
        var method = message.method();
        var params = message.params();
        var request =
                Json.raw(
                        new Question(
                                method == null ? "" : method,
                                params == null ? RawJson.EMPTY_OBJECT : params));
        var given = send.question();
        var name = given == null ? "question" : given;
        var unique = asked.containsKey(name) ? name + "-" + message.number() : name;
        asked.put(unique, new Asked(message.number(), request));
        hasNews = true;
    }

    @Override
    public synchronized void flush() {
        if (hasNews && stream != null) {
            park();
        }
    }

    private void park() {
        var open = stream;
        if (open == null) {
            return;
        }
        hasNews = false;
        stream = null;
        var requests = new LinkedHashMap<String, RawJson>();
        asked.forEach((name, each) -> requests.put(name, each.request()));
        open.add(Send.reply(id, ModernReply.inputRequired(id, requests, parking.apply(this))));
    }

    private void deliver() {
        if (stream != null && reply != null) {
            giveBack(); // The stream counts the reply from now on.
            stream.add(Send.reply(id, ModernReply.of(reply, id, subject.method())));
            stream = null;
        }
    }

    /**
     * A retry, of the same subject.
     *
     * @param request as it came now
     * @param responses by the names that were asked
     * @return false where it has ended without a reply
     */
    boolean resume(ModernMessage request, MessageStream itsStream, Map<String, RawJson> responses)
            throws InterruptedException {
        var lines = new ArrayList<RawJson>();
        SessionThread to;
        synchronized (this) {
            if (isOver && reply == null) {
                return false;
            }
            id = request.id();
            isRetried = true; // Not the request itself, whose body is not counted any more.
            progressToken = request.progressToken();
            logLevel = request.logLevel();
            stream = itsStream;
            lines.addAll(answered(responses));
            if (reply != null) {
                deliver();
            } else if (!asked.isEmpty()) {
                park();
            }
            to = thread;
        }
        for (var line : lines) {
            if (to == null || !to.receive(line.bytes())) {
                gone(itsStream);
                return false;
            }
        }
        return true;
    }

    private List<RawJson> answered(Map<String, RawJson> responses) {
        var lines = new ArrayList<RawJson>();
        asked.entrySet()
                .removeIf(
                        each -> {
                            var response = responses.get(each.getKey());
                            if (response == null || !JsonObjects.isObject(response)) {
                                return false;
                            }
                            lines.add(Messages.result(Json.raw(each.getValue().id()), response));
                            return true;
                        });
        return lines;
    }

    /** The client does not read this stream any more, which ends a call that answers on it. */
    synchronized void gone(MessageStream itsStream) {
        if (stream == itsStream) {
            end();
        }
    }

    /** Ends it, whatever it is about. */
    synchronized void end() {
        stream = null;
        giveBack();
        if (thread != null) {
            thread.end();
        }
    }

    /** Its thread has ended: nothing comes any more. */
    synchronized void over() {
        isOver = true;
        if (stream != null) {
            var message = "The call was cancelled here, and may have been carried out";
            reply = Messages.error(id, Messages.INTERNAL_ERROR, message);
            deliver();
        } else if (reply == null) {
            giveBack();
        }
    }

    private void giveBack() {
        place.close();
        bytes.close();
    }
}
