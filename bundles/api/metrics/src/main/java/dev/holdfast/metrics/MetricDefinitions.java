package dev.holdfast.metrics;

import java.util.List;
import org.osgi.annotation.versioning.ConsumerType;

/**
 * The series of a bundle, for tools that read jars without a container: name the implementation in
 * {@code META-INF/services}. It has a public constructor without parameters. Thread-safe.
 */
@ConsumerType
public interface MetricDefinitions {
  /** Returns the series that the bundle can have; a constant, never null. */
  List<MetricDefinition> definitions();
}
