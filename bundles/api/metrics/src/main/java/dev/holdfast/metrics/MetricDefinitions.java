package dev.holdfast.metrics;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The series of a bundle, for tools that read jars without a container. List the implementation in
 * {@code META-INF/services}; it needs a public constructor without parameters. Thread-safe.
 */
@ConsumerType
public interface MetricDefinitions {
  /** Returns the possible series of the bundle; a constant, never null. */
  List<MetricDefinition> definitions();
}
