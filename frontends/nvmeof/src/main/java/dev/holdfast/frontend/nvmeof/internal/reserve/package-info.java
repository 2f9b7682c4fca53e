/** Reservations of a namespace: the commands, one host's view, and its notices. */
package dev.holdfast.frontend.nvmeof.internal.reserve;
