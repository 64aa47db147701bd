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
    private static final String REQUIRED = "required";
    private static final String STEP_UP = "step_up";
    private static final Duration LONGEST_LEAVE = Duration.ofSeconds(5);

    private final InstanceContext context;
    private final OAuthOptions options;
    private final OAuthEvents events;
    private final OAuthPace pace = new OAuthPace();
    private final OAuthTimer timer;
    private Stage stage = Stage.IDLE;
    private long round;
    private @Nullable OAuthTask task;

    /** Whether there is still nothing to do before an order, or a change of status. */
    private boolean asked;

    /** Whether the configuration may have an answer of the user that nothing was done with yet. */
    private boolean answered;

    /** What is exchanged, whatever the configuration has by then. */
    private @Nullable String code;

    private boolean steppingUp;
    private boolean failureTold;
    private @Nullable ServerStatus seen;

    private enum Stage {
        IDLE,
        BEGINS,
        ASKS,
        STORES,
        OFFERS
    }

    OAuthKeeper(InstanceContext context) {
        this.context = context;
        this.options = context.parts.options().oauth();
        this.events = new OAuthEvents(context.reporter);
        this.timer = new OAuthTimer(context);
        context.whenConfigured(this::configured);
        context.reporter.precedesReauth(this::beforeReauth);
    }

    private Instant now() {
        return context.parts.clock().instant();
    }

    private @Nullable OAuthConfig oauth() {
        var config = context.config;
        return config.transportType().isProcess() ? null : config.oauth();
    }

    private OAuthState state() {
        return Objects.requireNonNull(context.reporter.oauth());
    }

    /** A configuration is taken over, for the first time or anew. */
    private void configured() {
        var oauth = oauth();
        var kept = context.reporter.oauth();
        var of = oauth == null ? null : OAuthState.fingerprint(context.config);
        boolean same = kept != null && kept.of().equals(of);
        asked = false;
        failureTold = false;
        answered = true;
        pace.configured(same);
        if (same && isUnderWay()) {
            return; // Its answer is of these tokens, and may be the only one there is.
        }
        giveUp();
        if (oauth == null || of == null) {
            context.reporter.oauth(null);
            context.tokens.none();
            return;
        }
        if (kept == null || !same) {
            kept = new OAuthState(of, Tokens.of(oauth, now()), null, null, null, null);
        }
        context.reporter.oauth(kept);
        carry();
        if (OAuthState.EXCHANGE.equals(kept.begun())) {
            context.reporter.oauth(kept.beginning(null).withoutOffer());
            failed("The answer to the user's authorization was lost");
        }
        takeAnswer();
    }

    /** Whether tokens are asked for. */
    private boolean isUnderWay() {
        return stage != Stage.IDLE && stage != Stage.OFFERS;
    }

    /** The user authorized, so it is said; what is under way ends before. */
    private void takeAnswer() {
        var answer = oauth();
        var given = answer == null ? null : answer.code();
        if (!answered || isUnderWay()) {
            return;
        }
        answered = false;
        if (answer == null || given == null) {
            return;
        }
        if (state().isUsed(given)) {
            if (state().awaits(answer)) { // Else the same configuration was sent again.
                failed("The code was exchanged before: it is of another authorization");
            }
            return;
        }
        var offer = state().answered(answer);
        if (offer == null) {
            failed("No authorization of this configuration was asked for");
            return;
        }
        var refusal = offer.refusal(answer, now());
        if (refusal != null) {
            failed(refusal);
            return;
        }
        code = given;
        context.reporter.oauth(state().exchanging(given, offer));
        context.tokens.expect();
        begin("exchanging");
    }

    /** Requests carry the tokens of the state, whose values are masked from now on. */
    private void carry() {
        var now = state().tokens();
        var url = Objects.requireNonNull(context.config.url());
        if (now == null) {
            context.tokens.hold(null, url, null);
            return;
        }
        var refresh = now.refreshToken();
        context.secrets.rememberTokens(
                refresh == null ? List.of(now.accessToken()) : List.of(refresh, now.accessToken()));
        if (context.run instanceof HttpRun run) {
            run.masksAnew();
        }
        context.tokens.hold(now.accessToken(), url, now.expiresAt());
    }

    /** A request waits for a token that the server takes. */
    void wanted() {
        boolean hopeless = context.reporter.status() == ServerStatus.REQUIRES_REAUTH;
        if (oauth() == null || hopeless || context.tokens.isUsable()) {
            context.tokens.settle();
            return;
        }
        if (isUnderWay()) {
            return; // Those who wait go on when that is over.
        }
        var tokens = state().tokens();
        var now = now();
        if (tokens == null || tokens.refreshToken() == null) {
            context.tokens.settle();
        } else if (pace.waits(now)) {
            context.tokens.giveUp();
        } else if (!pace.rests(now) || OAuthState.REFRESH.equals(state().begun())) {
            refresh(); // Also where the last one was not answered.
        } else if (context.tokens.isRefused()
                && (context.tokens.isExpired() || !pace.wasRefused())) {
            context.tokens.giveUp(); // The next one may be taken, when the rest is over.
        } else {
            context.tokens.settle();
        }
    }

    private void refresh() {
        abandon();
        if (OAuthState.REFRESH.equals(state().begun())) {
            ask(++round); // That it begins is durable; how it ended is not known.
            return;
        }
        context.reporter.oauth(state().beginning(OAuthState.REFRESH));
        begin("refreshing");
    }

    private void begin(String change) {
        stage = Stage.BEGINS;
        events.begins(change, durable(++round));
    }

    private Runnable durable(long of) {
        var mailbox = context.mailbox;
        return () -> mailbox.post(new Message.Authorized(of, new OAuthStep.Durable()));
    }

    private void ask(long of) {
        stage = Stage.ASKS;
        var state = state();
        var client = client();
        if (OAuthState.EXCHANGE.equals(state.begun())) {
            var offer = Objects.requireNonNull(state.offer());
            var given = Objects.requireNonNull(code);
            begin(of, () -> new OAuthStep.Granted(client.exchange(offer, given)));
        } else {
            var tokens = Objects.requireNonNull(state.tokens());
            begin(of, () -> new OAuthStep.Granted(client.refresh(tokens)));
        }
    }

    private OAuthClient client() {
        var config = context.config;
        return new OAuthClient(
                new PolicedRequests(
                        context.parts.connections(),
                        new Tenant(config.teamId(), config.userId()),
                        config.egressRules()),
                config,
                options,
                context.parts.clock());
    }

    private void begin(long of, OAuthTask.Question question) {
        var mailbox = context.mailbox;
        var next =
                new OAuthTask(
                        context.processId(),
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
        context.reporter.oauth(exchanged ? next.withoutOffer() : next);
        if (!exchanged) {
            pace.refreshed(now(), context.tokens.isRefused());
        }
        events.granted(tokens, durable(round));
    }

    private void stored() {
        stage = Stage.IDLE;
        pace.answered();
        failureTold = false;
        carry();
        context.tokens.settle();
        takeAnswer();
    }

    private void offered(AuthorizationOffer offer) {
        task = null;
        stage = Stage.IDLE;
        pace.answered();
        context.reporter.oauth(state().offering(offer));
        events.offers(steppingUp ? STEP_UP : REQUIRED, offer);
    }

    private void unsuccessful(OAuthStep.Failed failed) {
        boolean offering = stage == Stage.OFFERS;
        boolean exchanging = OAuthState.EXCHANGE.equals(state().begun());
        stage = Stage.IDLE;
        if (!failed.isFinal() && !exchanging) {
            asked = false;
            context.tokens.giveUp();
            if (pace.unanswered(now()) && !failureTold) {
                failed(failed.why());
            }
            takeAnswer();
            return;
        }
        if (exchanging) {
            context.reporter.oauth(state().beginning(null).withoutOffer());
        } else if (!offering) {
            var tokens = Objects.requireNonNull(state().tokens());
            context.reporter.oauth(state().with(tokens.withoutRefresh()));
        }
        failed(failed.why());
        context.tokens.settle();
        takeAnswer();
        if (!offering) {
            offer(context.tokens.challenge(), List.of(), false); // The old one may still do.
        }
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
        isAsked();
        steppingUp = stepUp;
        stage = Stage.OFFERS;
        var client = client();
        begin(++round, () -> new OAuthStep.Offered(client.offer(challenge, granted)));
    }

    private void isAsked() {
        asked = true;
        pace.asked(now());
    }

    /** A call needs scopes that its token does not have; other calls go on. */
    void scopesWanted(List<String> scopes) {
        var oauth = oauth();
        if (oauth == null || stage != Stage.IDLE || !pace.stepsUp(now())) {
            return;
        }
        var tokens = state().tokens();
        var granted = tokens == null ? List.<String>of() : tokens.scopes();
        var offer = liveOffer();
        if (offer != null && offer.scopes().containsAll(scopes)) {
            events.offers(STEP_UP, offer);
        } else if (OAuthClient.asksUsers(oauth, options)) {
            var last = context.tokens.challenge();
            offer(
                    new BearerChallenge(last.error(), scopes, last.resourceMetadata()),
                    offer == null ? granted : BearerChallenge.union(granted, offer.scopes()),
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
        timer.cancel();
        if (!isActive() || stage != Stage.IDLE || pace.waits(now())) {
            return; // Looked at after this.
        }
        var at = refreshAt();
        if (at != null
                && !now().isBefore(at)
                && context.reporter.status() != ServerStatus.REQUIRES_REAUTH) {
            refresh();
        }
    }

    private boolean isActive() {
        return oauth() != null
                && context.presence == View.Presence.HERE
                && context.run instanceof HttpRun;
    }

    /** Something happened: the user may have to be asked, and the next time is another one. */
    void look() {
        var status = context.reporter.status();
        boolean changed = status != seen;
        seen = status;
        if (!isActive()) {
            if (context.presence != View.Presence.HERE) {
                giveUp();
            }
            timer.cancel();
            return;
        }
        boolean reminds = !now().isBefore(pace.remindsAt());
        asked &= !(changed || reminds) || stage == Stage.OFFERS;
        if (status == ServerStatus.REQUIRES_REAUTH && stage == Stage.IDLE && !asked) {
            var offer = liveOffer();
            if (offer != null) {
                isAsked();
                events.offers(REQUIRED, offer);
            } else if (!pace.waits(now())) {
                offer(context.tokens.challenge(), List.of(), false);
                isAsked();
            }
        }
        timer.set(stage == Stage.IDLE ? next() : null);
    }

    /** When to act, null for never. */
    private @Nullable Instant next() {
        boolean reauth = context.reporter.status() == ServerStatus.REQUIRES_REAUTH;
        var at = reauth ? (asked ? pace.remindsAt() : now()) : refreshAt();
        return at == null ? null : pace.asks(at);
    }

    private @Nullable Instant refreshAt() {
        var tokens = state().tokens();
        var at = tokens == null ? null : tokens.refreshAt(options.refreshBefore(), jitter(tokens));
        return at == null ? null : pace.refreshes(at);
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
        context.tokens.settle();
    }

    private void abandon() {
        round++;
        stage = Stage.IDLE;
        if (task != null) {
            task.giveUp();
            task = null;
        }
        timer.cancel();
    }
}
