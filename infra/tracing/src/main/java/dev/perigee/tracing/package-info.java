/**
 * Tracing: sends the spans of a gateway or worker to an OpenTelemetry collector. Off unless {@code
 * tracing.endpoint} is given; then nothing of OpenTelemetry's SDK is loaded.
 */
@NullMarked
package dev.perigee.tracing;

import org.jspecify.annotations.NullMarked;
