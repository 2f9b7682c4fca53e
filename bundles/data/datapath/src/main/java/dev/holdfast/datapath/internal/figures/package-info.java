/** The series of attached volumes. */
package dev.holdfast.datapath.internal.figures;
