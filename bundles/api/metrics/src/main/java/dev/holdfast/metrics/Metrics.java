package dev.holdfast.metrics;

import org.osgi.annotation.versioning.ProviderType;

/**
 * The series of one bundle. Obtain it as an OSGi service; each bundle gets its own object. All
 * series of a bundle end when its last component releases the service, also when the bundle stops.
 *
 * <p>A bundle of Holdfast uses names with the prefix {@code holdfast_}. Another bundle uses {@code
 * holdfast_plugin_} and its symbolic name, in lower case with {@code _} for every other character,
 * for example {@code holdfast_plugin_com_example_raid_resyncs_total}. A name belongs to the first
 * bundle that uses it, as long as that bundle uses it.
 *
 * <p>All methods are thread-safe, do not block, and throw {@link IllegalArgumentException} when the
 * type of the definition differs from the method, when the bundle may not use the name, or when the
 * name is in use with another definition.
 */
@ProviderType
public interface Metrics {
  /**
   * Returns a counter; the same one for the same definition.
   *
   * @param definition of type COUNTER, not null
   * @return never null
   */
  Counter counter(MetricDefinition definition);

  /**
   * Returns a gauge; the same one for the same definition.
   *
   * @param definition of type GAUGE, not null
   * @return never null
   */
  Gauge gauge(MetricDefinition definition);

  /**
   * Returns a histogram; the same one for the same definition.
   *
   * @param definition of type HISTOGRAM, not null
   * @return never null
   */
  Histogram histogram(MetricDefinition definition);

  /**
   * Returns an info; the same one for the same definition.
   *
   * @param definition of type INFO, not null
   * @return never null
   */
  Info info(MetricDefinition definition);

  /**
   * Adds a source that is read at each scrape. Intended for values that already exist, and for
   * counts without cost for the writer.
   *
   * @param source the source, not null
   * @return the registration, never null; its close removes the source, is idempotent and does not
   *     block
   */
  Collection collect(MetricSource source);

  /** A registered source. */
  @ProviderType
  interface Collection extends AutoCloseable {
    /** Removes the source. */
    @Override
    void close();
  }

  /** A counter. Thread-safe; values of labels are in the order of the definition, not null. */
  @ProviderType
  interface Counter {
    /**
     * Adds to the series of these labels.
     *
     * @param amount not negative
     * @throws IllegalArgumentException for a negative amount or a wrong number of labels
     */
    void add(double amount, String... labels);

    /** Ends the series of these labels; without effect when it does not exist. */
    void remove(String... labels);
  }

  /** A gauge. Thread-safe; values of labels are in the order of the definition, not null. */
  @ProviderType
  interface Gauge {
    /**
     * Sets the series of these labels.
     *
     * @throws IllegalArgumentException for a wrong number of labels
     */
    void set(double value, String... labels);

    /** Ends the series of these labels; without effect when it does not exist. */
    void remove(String... labels);
  }

  /** A histogram. Thread-safe; values of labels are in the order of the definition, not null. */
  @ProviderType
  interface Histogram {
    /**
     * Counts one observation in the series of these labels.
     *
     * @param value in the unit of the name, for example seconds; not NaN
     * @throws IllegalArgumentException for NaN or a wrong number of labels
     */
    void observe(double value, String... labels);

    /** Ends the series of these labels; without effect when it does not exist. */
    void remove(String... labels);
  }

  /** An info. Thread-safe; values of labels are in the order of the definition, not null. */
  @ProviderType
  interface Info {
    /**
     * Creates a series with these labels; without effect if it exists.
     *
     * @throws IllegalArgumentException for a wrong number of labels
     */
    void add(String... labels);

    /** Ends the series of these labels; without effect when it does not exist. */
    void remove(String... labels);
  }
}
