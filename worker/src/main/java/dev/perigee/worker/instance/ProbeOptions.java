package dev.perigee.worker.instance;

import java.time.Duration;

/**
 * Options of a worker's own probes; {@link InstanceSettings} has the keys and explains each.
 *
 * @param interval between two probes of a server over HTTP, on average; zero for none
 * @param recoveryPause shortest time between two recoveries of a flapping server; zero for none
 */
public record ProbeOptions(Duration interval, Duration recoveryPause) {}
