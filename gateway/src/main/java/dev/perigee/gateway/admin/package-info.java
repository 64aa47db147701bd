/**
 * The gateway's HTTP face for operators: health and metrics, on loopback unless configured
 * otherwise. Serves what others hand it and decides nothing.
 */
@NullMarked
package dev.perigee.gateway.admin;

import org.jspecify.annotations.NullMarked;
