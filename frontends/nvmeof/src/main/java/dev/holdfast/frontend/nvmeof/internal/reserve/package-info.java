/** Reservations of a namespace: the commands, one host's view, and the notices to it. */
package dev.holdfast.frontend.nvmeof.internal.reserve;
