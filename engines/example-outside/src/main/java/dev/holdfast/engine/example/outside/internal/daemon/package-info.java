/** The processes of {@code qemu-storage-daemon}, and QMP, by which they are controlled. */
package dev.holdfast.engine.example.outside.internal.daemon;
