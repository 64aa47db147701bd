package dev.perigee.worker.instance;

import dev.perigee.protocol.config.OAuthConfig;
import dev.perigee.protocol.event.ServerStatus;
import dev.perigee.worker.mcp.PolicedRequests;
import dev.perigee.worker.oauth.AuthorizationOffer;
import dev.perigee.worker.oauth.BearerChallenge;
import dev.perigee.worker.oauth.OAuthClient;
import dev.perigee.worker.oauth.OAuthOptions;
import dev.perigee.worker.oauth.OAuthState;
import dev.perigee.worker.oauth.Tokens;
import dev.perigee.worker.process.Tenant;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lifecycle of an instance's OAuth tokens, confined to the supervisor's thread. One step at a time:
 *
 * <pre>
 *  refresh, exchange:  BEGINS ─ durable ─▶ ASKS ─ tokens ─▶ STORES ─ durable ─▶ IDLE, in use
 *                                           └── refused ──▶ IDLE, failed; the user is asked
 *  offer:              OFFERS ─ metadata ─▶ IDLE, the user is asked
 * </pre>
 *
 * A refresh token is sent only once its use is durable, which a gateway that lost the partition
 * cannot have it made, and new tokens are used only when they are durable: so an owner's change in
 * between neither repeats a refresh nor loses one. What a lost worker was not answered is asked
 * once more by the next.
 */
final class OAuthKeeper {
    /** Shortest time between two refreshes because of refusals; one that comes sooner counts. */
    private static final Duration REFUSALS = Duration.ofSeconds(30);

    /** Shortest time between two events about missing scopes. */
    private static final Duration STEP_UPS = Duration.ofSeconds(10);

    private static final String REQUIRED = "required";
    private static final String STEP_UP = "step_up";
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);
    private static final Duration LONGEST_LEAVE = Duration.ofSeconds(5);

    private final Dossier dossier;
    private final OAuthOptions options;
    private final OAuthEvents events;
    private Stage stage = Stage.IDLE;
    private long round;
    private @Nullable OAuthTask task;
    private @Nullable ScheduledFuture<?> timer;

    /** When the time of the timer is. */
    private @Nullable Instant dueAt;

    /** Whether there is still nothing to do before an order, or a change of status. */
    private boolean asked;

    private boolean steppingUp;
    private boolean failureTold;
    private int unanswered;
    private Instant askAgainAt = Instant.MIN;
    private Instant refusedAt = Instant.MIN;
    private Instant steppedUpAt = Instant.MIN;
    private @Nullable ServerStatus seen;

    private enum Stage {
        IDLE,
        BEGINS,
        ASKS,
        STORES,
        OFFERS
    }

    OAuthKeeper(Dossier dossier) {
        this.dossier = dossier;
        this.options = dossier.parts.options().oauth();
        this.events = new OAuthEvents(dossier.reporter);
        dossier.whenConfigured(this::configured);
        dossier.reporter.precedesReauth(this::beforeReauth);
    }

    private Instant now() {
        return dossier.parts.clock().instant();
    }

    private @Nullable OAuthConfig oauth() {
        var config = dossier.config;
        return config.transportType().isProcess() ? null : config.oauth();
    }

    private OAuthState state() {
        return Objects.requireNonNull(dossier.reporter.oauth());
    }

    /** A configuration is taken over, for the first time or anew. */
    private void configured() {
        giveUp();
        asked = false;
        failureTold = false;
        unanswered = 0;
        askAgainAt = Instant.MIN;
        refusedAt = Instant.MIN;
        steppedUpAt = Instant.MIN;
        var oauth = oauth();
        if (oauth == null) {
            dossier.reporter.oauth(null);
            dossier.tokens.none();
            return;
        }
        var kept = dossier.reporter.oauth();
        var of = OAuthState.fingerprint(dossier.config);
        if (kept == null || !kept.of().equals(of)) {
            kept = new OAuthState(of, Tokens.of(oauth, now()), null, null, null);
        }
        dossier.reporter.oauth(kept);
        carry();
        if (OAuthState.EXCHANGE.equals(kept.begun())) {
            dossier.reporter.oauth(kept.beginning(null).offering(null));
            failed("The answer to the user's authorization was lost");
        }
        var code = oauth.code();
        if (code != null && !state().isUsed(code)) {
            answered(oauth, code);
        }
    }

    /** The user authorized, so it is said. */
    private void answered(OAuthConfig answer, String code) {
        var offer = state().offer();
        var refusal =
                offer == null
                        ? "No authorization of this configuration was asked for"
                        : offer.refusal(answer, now());
        if (refusal != null) {
            failed(refusal);
            return;
        }
        dossier.reporter.oauth(state().exchanging(code));
        dossier.tokens.expect();
        begin("exchanging");
    }

    /** Requests carry the tokens of the state, whose values are masked from now on. */
    private void carry() {
        var now = state().tokens();
        var url = Objects.requireNonNull(dossier.config.url());
        if (now == null) {
            dossier.tokens.hold(null, url, null);
            return;
        }
        var refresh = now.refreshToken();
        dossier.secrets.remember(
                refresh == null ? List.of(now.accessToken()) : List.of(refresh, now.accessToken()));
        if (dossier.run instanceof HttpRun run) {
            run.masksAnew();
        }
        dossier.tokens.hold(now.accessToken(), url, now.expiresAt());
    }

    /** A request waits for a token that the server takes. */
    void wanted() {
        boolean hopeless = dossier.reporter.status() == ServerStatus.REQUIRES_REAUTH;
        if (oauth() == null || hopeless || dossier.tokens.isUsable()) {
            dossier.tokens.settle();
            return;
        }
        if (stage != Stage.IDLE && stage != Stage.OFFERS) {
            return; // Those who wait go on when that is over.
        }
        var tokens = state().tokens();
        var now = now();
        if (tokens == null || tokens.refreshToken() == null) {
            dossier.tokens.settle();
        } else if (now.isBefore(askAgainAt)) {
            dossier.tokens.giveUp();
        } else if (!dossier.tokens.isRefused() || OAuthState.REFRESH.equals(state().begun())) {
            refresh(); // Also where the last one was not answered.
        } else if (now.isBefore(refusedAt)) {
            dossier.tokens.settle();
        } else {
            refusedAt = now.plus(REFUSALS);
            refresh();
        }
    }

    private void refresh() {
        abandon();
        if (OAuthState.REFRESH.equals(state().begun())) {
            ask(++round); // That it begins is durable; how it ended is not known.
            return;
        }
        dossier.reporter.oauth(state().beginning(OAuthState.REFRESH));
        begin("refreshing");
    }

    private void begin(String change) {
        stage = Stage.BEGINS;
        events.begins(change, durable(++round));
    }

    private Runnable durable(long of) {
        var mailbox = dossier.mailbox;
        return () -> mailbox.post(new Message.Authorized(of, new OAuthStep.Durable()));
    }

    private void ask(long of) {
        stage = Stage.ASKS;
        var state = state();
        var client = client();
        if (OAuthState.EXCHANGE.equals(state.begun())) {
            var offer = Objects.requireNonNull(state.offer());
            var code = Objects.requireNonNull(Objects.requireNonNull(oauth()).code());
            begin(of, () -> new OAuthStep.Granted(client.exchange(offer, code)));
        } else {
            var tokens = Objects.requireNonNull(state.tokens());
            begin(of, () -> new OAuthStep.Granted(client.refresh(tokens)));
        }
    }

    private OAuthClient client() {
        var config = dossier.config;
        return new OAuthClient(
                new PolicedRequests(
                        dossier.parts.connections(),
                        new Tenant(config.teamId(), config.userId()),
                        config.egressRules()),
                config,
                options,
                dossier.parts.clock());
    }

    private void begin(long of, OAuthTask.Question question) {
        var mailbox = dossier.mailbox;
        var next =
                new OAuthTask(
                        dossier.processId(),
                        question,
                        step -> mailbox.post(new Message.Authorized(of, step)));
        task = next;
        next.begin();
    }

    /** A step was done; without effect where it was given up. */
    void done(Message.Authorized message) {
        if (message.round() == round && stage != Stage.IDLE) {
            done(message.step());
        }
    }

    private void done(OAuthStep step) {
        switch (step) {
            case OAuthStep.Durable _ -> {
                if (stage == Stage.BEGINS) {
                    ask(round);
                } else {
                    stored();
                }
            }
            case OAuthStep.Granted(var tokens) -> granted(tokens);
            case OAuthStep.Offered(var offer) -> offered(offer);
            case OAuthStep.Failed failed -> {
                task = null;
                unsuccessful(failed);
            }
        }
    }

    private void granted(Tokens tokens) {
        task = null;
        stage = Stage.STORES;
        boolean exchanged = OAuthState.EXCHANGE.equals(state().begun());
        var next = state().with(tokens);
        dossier.reporter.oauth(exchanged ? next.offering(null) : next);
        events.granted(tokens, durable(round));
    }

    private void stored() {
        stage = Stage.IDLE;
        unanswered = 0;
        askAgainAt = Instant.MIN;
        failureTold = false;
        carry();
        dossier.tokens.settle();
    }

    private void offered(AuthorizationOffer offer) {
        task = null;
        stage = Stage.IDLE;
        unanswered = 0;
        dossier.reporter.oauth(state().offering(offer));
        events.offers(steppingUp ? STEP_UP : REQUIRED, offer);
    }

    private void unsuccessful(OAuthStep.Failed failed) {
        boolean offering = stage == Stage.OFFERS;
        boolean exchanging = OAuthState.EXCHANGE.equals(state().begun());
        stage = Stage.IDLE;
        if (!failed.isFinal() && !exchanging) {
            unanswered = Math.min(unanswered + 1, 7);
            askAgainAt = now().plus(pause());
            asked = false;
            dossier.tokens.giveUp();
            return;
        }
        if (exchanging) {
            dossier.reporter.oauth(state().beginning(null).offering(null));
        } else if (!offering) {
            var tokens = Objects.requireNonNull(state().tokens());
            dossier.reporter.oauth(state().with(tokens.withoutRefresh()));
        }
        failed(failed.why());
        dossier.tokens.settle();
        if (!offering) {
            offer(dossier.tokens.challenge(), List.of(), false); // The old one may still do.
        }
    }

    private Duration pause() {
        var most = Duration.ofSeconds(1L << (unanswered - 1));
        var pause = most.compareTo(LONGEST_PAUSE) < 0 ? most : LONGEST_PAUSE;
        return pause.dividedBy(2)
                .plusNanos(ThreadLocalRandom.current().nextLong(pause.toNanos() / 2 + 1));
    }

    private void failed(String why) {
        failureTold = true;
        events.failed(why);
    }

    private void beforeReauth() {
        if (oauth() != null && state().tokens() != null && !failureTold) {
            failed("The server refuses the access token");
        }
    }

    private void offer(BearerChallenge challenge, List<String> granted, boolean stepUp) {
        var oauth = oauth();
        if (stage != Stage.IDLE || oauth == null || !OAuthClient.asksUsers(oauth, options)) {
            return;
        }
        asked = true;
        steppingUp = stepUp;
        stage = Stage.OFFERS;
        var client = client();
        begin(++round, () -> new OAuthStep.Offered(client.offer(challenge, granted)));
    }

    /** A call needs scopes that its token does not have; other calls go on. */
    void scopesWanted(List<String> scopes) {
        var now = now();
        if (oauth() == null || stage != Stage.IDLE || now.isBefore(steppedUpAt)) {
            return;
        }
        var tokens = state().tokens();
        var granted = tokens == null ? List.<String>of() : tokens.scopes();
        var offer = liveOffer();
        steppedUpAt = now.plus(STEP_UPS);
        if (offer != null && offer.scopes().containsAll(scopes)) {
            events.offers(STEP_UP, offer);
        } else if (OAuthClient.asksUsers(Objects.requireNonNull(oauth()), options)) {
            var last = dossier.tokens.challenge();
            offer(
                    new BearerChallenge(last.error(), scopes, last.resourceMetadata()),
                    granted,
                    true);
        } else {
            events.lacks(BearerChallenge.union(granted, scopes));
        }
    }

    private @Nullable AuthorizationOffer liveOffer() {
        var offer = state().offer();
        return offer != null && now().isBefore(offer.expiresAt()) ? offer : null;
    }

    /** The time came to refresh, or to ask again. */
    void due() {
        timer = null;
        dueAt = null;
        if (!isActive() || stage != Stage.IDLE || now().isBefore(askAgainAt)) {
            return; // Looked at after this.
        }
        var at = refreshAt();
        if (at != null
                && !now().isBefore(at)
                && dossier.reporter.status() != ServerStatus.REQUIRES_REAUTH) {
            refresh();
        }
    }

    private boolean isActive() {
        return oauth() != null
                && dossier.presence == View.Presence.HERE
                && dossier.run instanceof HttpRun;
    }

    /** Something happened: the user may have to be asked, and the next time is another one. */
    void look() {
        var status = dossier.reporter.status();
        boolean changed = status != seen;
        seen = status;
        if (!isActive()) {
            if (dossier.presence != View.Presence.HERE) {
                giveUp();
            }
            cancel();
            return;
        }
        asked &= !changed || stage == Stage.OFFERS;
        if (status == ServerStatus.REQUIRES_REAUTH && stage == Stage.IDLE && !asked) {
            var offer = liveOffer();
            if (offer != null) {
                asked = true;
                events.offers(REQUIRED, offer);
            } else if (!now().isBefore(askAgainAt)) {
                offer(dossier.tokens.challenge(), List.of(), false);
                asked = true;
            }
        }
        plan();
    }

    private void plan() {
        var at = stage == Stage.IDLE ? next() : null;
        if (Objects.equals(at, dueAt)) {
            return;
        }
        cancel();
        if (at != null) {
            dueAt = at;
            var mailbox = dossier.mailbox;
            timer =
                    dossier.parts
                            .timers()
                            .schedule(
                                    () -> mailbox.post(new Message.TokensDue()),
                                    Math.max(0, Duration.between(now(), at).toNanos()),
                                    TimeUnit.NANOSECONDS);
        }
    }

    /** When to act, null for never. */
    private @Nullable Instant next() {
        boolean reauth = dossier.reporter.status() == ServerStatus.REQUIRES_REAUTH;
        var at = reauth ? (asked ? null : now()) : refreshAt();
        return at == null || at.isAfter(askAgainAt) ? at : askAgainAt;
    }

    private @Nullable Instant refreshAt() {
        var tokens = state().tokens();
        return tokens == null ? null : tokens.refreshAt(options.refreshBefore(), jitter(tokens));
    }

    /** Equal for the same tokens, so that a look moves nothing. */
    private static double jitter(Tokens tokens) {
        return (tokens.accessToken().hashCode() & 0xffff) / (double) 0x10000;
    }

    /** The worker no longer hosts the instance: an answer that is on its way is waited for. */
    void leave(Duration limit) throws InterruptedException {
        var pending = task;
        if (stage == Stage.ASKS && pending != null) {
            var step = pending.await(limit.compareTo(LONGEST_LEAVE) < 0 ? limit : LONGEST_LEAVE);
            if (step instanceof OAuthStep.Granted(var tokens)) {
                granted(tokens);
            }
        }
        giveUp();
    }

    /** What is under way is given up, and nothing is planned; those who wait go on. */
    void giveUp() {
        abandon();
        dossier.tokens.settle();
    }

    private void abandon() {
        round++;
        stage = Stage.IDLE;
        if (task != null) {
            task.giveUp();
            task = null;
        }
        cancel();
    }

    private void cancel() {
        dueAt = null;
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
