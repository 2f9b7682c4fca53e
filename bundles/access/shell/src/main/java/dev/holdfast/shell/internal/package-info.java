/** The user commands in the Karaf shell: {@code holdfast:volume-create} and the others. */
package dev.holdfast.shell.internal;
