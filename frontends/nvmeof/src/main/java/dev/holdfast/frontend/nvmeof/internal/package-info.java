/**
 * The frontend and its sessions: a connection's phases until its queue is connected.
 *
 * <p>This package uses the packages below it, in this order: {@code discovery}, {@code queue},
 * {@code reserve}, {@code controller}, {@code page}, {@code auth}, {@code wire}. Each uses only
 * packages after it.
 */
package dev.holdfast.frontend.nvmeof.internal;
