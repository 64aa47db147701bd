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

    private final InstanceContext dossier;
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

    OAuthKeeper(InstanceContext dossier) {
        this.dossier = dossier;
        this.options = dossier.parts.options().oauth();
        this.events = new OAuthEvents(dossier.reporter);
        this.timer = new OAuthTimer(dossier);
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
        var oauth = oauth();
        var kept = dossier.reporter.oauth();
        var of = oauth == null ? null : OAuthState.fingerprint(dossier.config);
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
            dossier.reporter.oauth(null);
            dossier.tokens.none();
            return;
        }
        if (kept == null || !same) {
            kept = new OAuthState(of, Tokens.of(oauth, now()), null, null, null, null);
        }
        dossier.reporter.oauth(kept);
        carry();
        if (OAuthState.EXCHANGE.equals(kept.begun())) {
            dossier.reporter.oauth(kept.beginning(null).withoutOffer());
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
            if (state().awaits(answer)) { // Else it is the configuration of before once more.
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
        dossier.reporter.oauth(state().exchanging(given, offer));
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
        dossier.secrets.rememberTokens(
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
        if (isUnderWay()) {
            return; // Those who wait go on when that is over.
        }
        var tokens = state().tokens();
        var now = now();
        if (tokens == null || tokens.refreshToken() == null) {
            dossier.tokens.settle();
        } else if (pace.waits(now)) {
            dossier.tokens.giveUp();
        } else if (!pace.rests(now) || OAuthState.REFRESH.equals(state().begun())) {
            refresh(); // Also where the last one was not answered.
        } else if (dossier.tokens.isRefused()
                && (dossier.tokens.isExpired() || !pace.wasRefused())) {
            dossier.tokens.giveUp(); // The next one may be taken, when the rest is over.
        } else {
            dossier.tokens.settle();
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
            var given = Objects.requireNonNull(code);
            begin(of, () -> new OAuthStep.Granted(client.exchange(offer, given)));
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
        dossier.reporter.oauth(exchanged ? next.withoutOffer() : next);
        if (!exchanged) {
            pace.refreshed(now(), dossier.tokens.isRefused());
        }
        events.granted(tokens, durable(round));
    }

    private void stored() {
        stage = Stage.IDLE;
        pace.answered();
        failureTold = false;
        carry();
        dossier.tokens.settle();
        takeAnswer();
    }

    private void offered(AuthorizationOffer offer) {
        task = null;
        stage = Stage.IDLE;
        pace.answered();
        dossier.reporter.oauth(state().offering(offer));
        events.offers(steppingUp ? STEP_UP : REQUIRED, offer);
    }

    private void unsuccessful(OAuthStep.Failed failed) {
        boolean offering = stage == Stage.OFFERS;
        boolean exchanging = OAuthState.EXCHANGE.equals(state().begun());
        stage = Stage.IDLE;
        if (!failed.isFinal() && !exchanging) {
            asked = false;
            dossier.tokens.giveUp();
            if (pace.unanswered(now()) && !failureTold) {
                failed(failed.why());
            }
            takeAnswer();
            return;
        }
        if (exchanging) {
            dossier.reporter.oauth(state().beginning(null).withoutOffer());
        } else if (!offering) {
            var tokens = Objects.requireNonNull(state().tokens());
            dossier.reporter.oauth(state().with(tokens.withoutRefresh()));
        }
        failed(failed.why());
        dossier.tokens.settle();
        takeAnswer();
        if (!offering) {
            offer(dossier.tokens.challenge(), List.of(), false); // The old one may still do.
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
            var last = dossier.tokens.challenge();
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
                offer(dossier.tokens.challenge(), List.of(), false);
                isAsked();
            }
        }
        timer.set(stage == Stage.IDLE ? next() : null);
    }

    /** When to act, null for never. */
    private @Nullable Instant next() {
        boolean reauth = dossier.reporter.status() == ServerStatus.REQUIRES_REAUTH;
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
        dossier.tokens.settle();
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
