/** Admin and I/O queues: their commands, the transfer of data, and the writing of PDUs. */
package dev.holdfast.frontend.nvmeof.internal.queue;
