package dev.perigee.worker.mcp;

import io.modelcontextprotocol.client.transport.HttpClientSseClientTransport;
import io.modelcontextprotocol.client.transport.HttpClientStreamableHttpTransport;
import io.modelcontextprotocol.client.transport.customizer.McpAsyncHttpClientRequestCustomizer;
import io.modelcontextprotocol.spec.McpClientTransport;
import java.net.URI;
import java.net.http.HttpClient;

/** Makes the SDK's transports, with the least of their own ideas. */
final class HttpTransports {
    /** Above our own bound, which tells what happened; the transport's is the net below it. */
    private static final int SLACK_BYTES = 1024 * 1024;

    private HttpTransports() {}

    static McpClientTransport create(
            HttpTransport kind,
            URI address,
            HttpClient client,
            int maxMessageBytes,
            McpAsyncHttpClientRequestCustomizer customizer) {
        return switch (kind) {
            case STREAMABLE ->
                    HttpClientStreamableHttpTransport.builder(address.toString())
                            .endpoint(address.toString())
                            .clientBuilder(new GivenClient(client))
                            .jsonMapper(new Envelopes())
                            .resumableStreams(false)
                            .openConnectionOnStartup(false)
                            .maxResponseSize(maxMessageBytes + SLACK_BYTES)
                            .addAsyncHttpRequestCustomizer(customizer)
                            .build();
            case SSE -> sse(address, client, maxMessageBytes, customizer);
        };
    }

    @SuppressWarnings("deprecation") // As the transport is; servers that speak it remain.
    private static McpClientTransport sse(
            URI address,
            HttpClient client,
            int maxMessageBytes,
            McpAsyncHttpClientRequestCustomizer customizer) {
        // The server may name a place in this folder, also in full, that messages are sent to.
        return HttpClientSseClientTransport.builder(address.resolve("./").toString())
                .sseEndpoint(address.toString())
                .clientBuilder(new GivenClient(client))
                .jsonMapper(new Envelopes())
                .maxResponseSize(maxMessageBytes + SLACK_BYTES)
                .addAsyncHttpRequestCustomizer(customizer)
                .build();
    }
}
