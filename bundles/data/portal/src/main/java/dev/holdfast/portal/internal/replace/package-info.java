/** Moves sessions from one bundle of a frontend to another. */
package dev.holdfast.portal.internal.replace;
