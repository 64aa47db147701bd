package dev.perigee.worker.instance;

import dev.perigee.protocol.config.ServerConfig;
import dev.perigee.protocol.json.RawJson;
import dev.perigee.worker.log.SecretMask;
import dev.perigee.worker.log.ServerMessage;
import dev.perigee.worker.mcp.McpClient;
import dev.perigee.worker.mcp.McpException;
import dev.perigee.worker.mcp.McpListener;
import dev.perigee.worker.mcp.ServerInfo;
import dev.perigee.worker.mcp.ServerQuestion;
import dev.perigee.worker.tool.FailureStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Target of calls: one life of a process, or a client of a server over HTTP. The supervisor starts
 * and ends it; calls, discoveries and checks use its client on threads of their own.
 */
abstract sealed class ServerRun implements McpListener permits ProcessRun, HttpRun {
    private final Listener listener;
    private final AtomicBoolean announced = new AtomicBoolean();
    private final AtomicBoolean changeTold = new AtomicBoolean();
    private final CallNotices notices = new CallNotices();
    private final CallQuestions questions = new CallQuestions(new Asking());
    private volatile @Nullable ServerInfo info;
    private volatile @Nullable String installedVersion;
    private volatile @Nullable Instant startedAt;
    private volatile long startedNanos = System.nanoTime();

    /** Called on any thread; must not block. */
    interface Listener {
        /** The server's tools are others now. */
        void toolsChanged(ServerRun run);

        /** The server's tools may be others now. */
        void toolsMissed(ServerRun run);

        /** What the server notified of may be lost, and what it is to notify of forgotten. */
        void noticesMissed(ServerRun run);
    }

    private final class Asking implements CallQuestions.Source {
        @Override
        public @Nullable McpClient client() {
            return ServerRun.this.client();
        }

        @Override
        public @Nullable Long pid() {
            return ServerRun.this.pid();
        }

        @Override
        public UnaryOperator<String> mask() {
            return ServerRun.this::masked;
        }
    }

    ServerRun(Listener listener) {
        this.listener = listener;
    }

    /** By which configuration it runs. */
    abstract ServerConfig config();

    /** Null for a program without MCP. */
    abstract @Nullable McpClient client();

    /** Null before there is a process, and where there is none on this worker. */
    abstract @Nullable Long pid();

    /** Whether it is over, so that nothing of it counts any more. */
    abstract boolean isOver();

    /** Its last words, for people, with the punctuation before them; empty when it has none. */
    abstract String lastWords();

    /** A remark about it, at level warn, published with its log where it has one. */
    abstract void remark(String what);

    /** What it means that the tools could not be had; without secrets. */
    abstract FailureStatus undiscovered(McpException failure);

    /** Stops all reports about it. */
    abstract void silence();

    /** Ends it, also one that is only being started. Does not wait. */
    abstract void kill();

    /** Receiver of its progress and log messages for running calls. */
    final CallNotices notices() {
        return notices;
    }

    /** Where its calls are asked what it asks. */
    final CallQuestions questions() {
        return questions;
    }

    @Override
    public final ServerQuestion.@Nullable Refusal onQuestion(ServerQuestion question) {
        return questions.asked(question);
    }

    @Override
    public final void onQuestionWithdrawn(RawJson id) {
        questions.withdrawn(id);
    }

    @Override
    public final void onProgress(RawJson params) {
        notices.progress(params);
    }

    @Override
    public final void onMessage(RawJson params) {
        notices.message(params);
        logged(() -> ServerMessage.read(params));
    }

    @Override
    public final void onNotice(String method, @Nullable RawJson params) {
        serverNotices().said(method, params);
    }

    @Override
    public final void onNoticesMissed() {
        listener.noticesMissed(this);
    }

    /** What the server notifies of by itself, on its way to the journal. */
    abstract ServerNotices serverNotices();

    /** The server logged something, for its log; read only where that is kept. */
    abstract void logged(Supplier<@Nullable ServerMessage> message);

    /** The start begins, of which {@link #uptime} is counted. */
    final void starting() {
        startedNanos = System.nanoTime();
    }

    final long startedNanos() {
        return startedNanos;
    }

    /** There is something that answers, or will. */
    final void startedAt(Instant now) {
        startedAt = now;
    }

    final @Nullable Instant startedAt() {
        return startedAt;
    }

    final void introduced(ServerInfo introduced) {
        info = introduced;
    }

    /** Null before the handshake. */
    final @Nullable ServerInfo info() {
        return info;
    }

    /** The package that it is of turned out to have this version. */
    final void installed(@Nullable String version) {
        installedVersion = version;
    }

    /** Its version, without secrets; null while that is not known. */
    final @Nullable String version() {
        var version = ServerVersion.of(config(), installedVersion, info);
        return version == null ? null : masked(version);
    }

    /** From the start to now, or to the end. */
    Duration uptime() {
        return Duration.ofNanos(Math.max(0, System.nanoTime() - startedNanos));
    }

    /** True the first time: its start is not yet reported. */
    final boolean takeAnnouncement() {
        return announced.compareAndSet(false, true);
    }

    /** From now on a further change of the tools is posted; until then it is one with the last. */
    final void changeSeen() {
        changeTold.set(false);
    }

    /** Of the configured secrets, and of what references stand for. */
    abstract SecretMask mask();

    /** The text without the configured secrets. */
    final String masked(String text) {
        return mask().apply(text);
    }

    /** The text with the server's last words, for people; without secrets. */
    final String explained(String text) {
        return masked(text + lastWords());
    }

    @Override
    public void onToolsChanged() {
        if (changeTold.compareAndSet(false, true)) {
            listener.toolsChanged(this);
        }
    }

    @Override
    public void onToolsMissed() {
        listener.toolsMissed(this);
    }
}
