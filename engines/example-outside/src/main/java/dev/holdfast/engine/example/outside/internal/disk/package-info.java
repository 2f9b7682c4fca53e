/** Files of replicas in a directory that several nodes see. */
package dev.holdfast.engine.example.outside.internal.disk;
