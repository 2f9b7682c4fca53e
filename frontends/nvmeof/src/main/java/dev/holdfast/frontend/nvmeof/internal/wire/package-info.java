/** Layout of PDUs and commands, status codes, limits and names of the protocol. */
package dev.holdfast.frontend.nvmeof.internal.wire;
