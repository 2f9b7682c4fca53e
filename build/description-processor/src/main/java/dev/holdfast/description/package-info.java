/** Keeps documentation comments for run time, where the API shows them to its users. */
package dev.holdfast.description;
