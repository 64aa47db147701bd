package dev.perigee.protocol.access;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.AbstractConnectionFactory;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;

/**
 * Bounds a Jetty server's connections of HTTP, in number and in time, so that strangers cannot use
 * up the part's descriptors. What becomes a WebSocket is none of them any more: it is neither
 * counted nor ended. Jetty's threads call it; it never waits.
 */
public final class NewcomerLimit extends Handler.Wrapper implements Connection.Listener {
    private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(1);

    /** Connections that the kernel has made and Jetty not taken yet, in a flood. */
    private static final int ACCEPT_QUEUE = 1024;

    private final Newcomers<Connection> newcomers;
    private final ServerConnector connector;
    private final Duration headAtMost;
    private final AtomicLong displaced = new AtomicLong();

    /**
     * Limits what a factory makes for its connector, which accepts on a thread of its own; before
     * the server is started.
     *
     * @param most how many there may be; with one more, one of the address that has most is closed
     * @param idle how long nothing may arrive and nothing be sent; a request's head may take twice
     *     as long, also from who sends it byte by byte
     * @param next who answers requests
     */
    public NewcomerLimit(
            ServerConnector connector,
            AbstractConnectionFactory http,
            int most,
            Duration idle,
            Handler next) {
        super(next);
        this.newcomers = new Newcomers<>(most, new SplittableRandom());
        this.connector = connector;
        this.headAtMost = idle.multipliedBy(2);
        connector.setIdleTimeout(idle.toMillis());
        connector.setAcceptQueueSize(ACCEPT_QUEUE);
        connector.getSelectorManager().addEventListener(new Arrivals(most));
        http.addEventListener(this);
    }

    /** How many there are. */
    public int count() {
        return newcomers.count();
    }

    /** How many were closed since there were too many. */
    public long displaced() {
        return displaced.get();
    }

    @Override
    public void onOpened(Connection connection) {
        var one = newcomers.add(connection, origin(connection), System.nanoTime());
        if (one != null) {
            displaced.incrementAndGet();
            close(one);
        }
    }

    @Override
    public void onClosed(Connection connection) {
        newcomers.remove(connection);
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        var connection = request.getConnectionMetaData().getConnection();
        newcomers.served(connection, true, System.nanoTime());
        Request.addCompletionListener(
                request, _ -> newcomers.served(connection, false, System.nanoTime()));
        return super.handle(request, response, callback);
    }

    private static Object origin(Connection connection) {
        return connection.getEndPoint().getRemoteSocketAddress() instanceof InetSocketAddress at
                        && at.getAddress() != null
                ? at.getAddress()
                : "unknown";
    }

    /** Closes the socket itself: a goodbye in TLS could wait for who does not read. */
    private static void close(Connection connection) {
        var endPoint = connection.getEndPoint();
        while (endPoint instanceof EndPoint.Wrapper wrapper) {
            endPoint = wrapper.unwrap();
        }
        endPoint.close();
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        later();
    }

    private void later() {
        connector
                .getScheduler()
                .schedule(this::sweep, SWEEP_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void sweep() {
        if (isRunning()) {
            newcomers
                    .idleSinceBefore(System.nanoTime() - headAtMost.toNanos())
                    .forEach(NewcomerLimit::close);
            later();
        }
    }
}
