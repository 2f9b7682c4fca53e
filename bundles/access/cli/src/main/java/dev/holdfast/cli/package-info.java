/** The {@code holdfast} commands as a program: a picocli binding of the command bundle. */
package dev.holdfast.cli;
