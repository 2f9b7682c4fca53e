/** The controller service: creates, deletes, expands, lists and publishes volumes. */
package dev.holdfast.csi.internal.controller;
