/** The {@code holdfast} command-line program: a picocli binding of the command bundle. */
package dev.holdfast.cli;
