package dev.holdfast.frontend.nvmeof.internal.controller;

import dev.holdfast.frontend.nvmeof.internal.wire.Limits;
import dev.holdfast.frontend.nvmeof.internal.wire.RefusedException;
import dev.holdfast.frontend.nvmeof.internal.wire.Status;
import java.util.Map;
import java.util.TreeMap;

/**
 * The features of a controller whose value is a number. Values last as long as the controller. Not
 * thread-safe: guarded by the controller.
 */
public final class Features {
  static final int ARBITRATION = 0x01;
  static final int POWER = 0x02;
  static final int TEMPERATURE = 0x04;
  static final int ERROR_RECOVERY = 0x05;
  static final int CACHE = 0x06;
  static final int QUEUES = 0x07;
  static final int WRITE_ATOMICITY = 0x0a;
  public static final int EVENTS = 0x0b;
  public static final int KEEP_ALIVE = 0x0f;
  public static final int HOST_BEHAVIOUR = 0x16;
  public static final int HOST_ID = 0x81;
  public static final int RESERVATION_NOTICES = 0x82;
  public static final int RESERVATION_PERSISTENCE = 0x83;

  private static final int[] ALL = {
    ARBITRATION,
    POWER,
    TEMPERATURE,
    ERROR_RECOVERY,
    CACHE,
    QUEUES,
    WRITE_ATOMICITY,
    EVENTS,
    KEEP_ALIVE,
    HOST_BEHAVIOUR,
    HOST_ID,
    RESERVATION_NOTICES,
    RESERVATION_PERSISTENCE
  };

  /** Default values by number; features that are absent here are handled separately. */
  private static final Map<Integer, Integer> DEFAULTS =
      Map.of(
          ARBITRATION, 7,
          POWER, 0,
          TEMPERATURE, 0xffff,
          ERROR_RECOVERY, 0,
          CACHE, 1,
          QUEUES, (Limits.QUEUES - 1) | ((Limits.QUEUES - 1) << 16),
          WRITE_ATOMICITY, 0,
          RESERVATION_NOTICES, 0);

  private final Map<Integer, Integer> set = new TreeMap<>();

  /** Returns all features of an I/O controller. */
  public static int[] all() {
    return ALL.clone();
  }

  public static boolean known(int feature) {
    for (int one : ALL) {
      if (one == feature) {
        return true;
      }
    }
    return false;
  }

  static boolean plain(int feature) {
    return DEFAULTS.containsKey(feature);
  }

  /**
   * Returns whether a host may change a feature: the cache is always enabled, and the host
   * identifier is fixed.
   */
  public static boolean changeable(int feature) {
    return feature != CACHE && feature != HOST_ID;
  }

  int current(int feature) {
    return set.getOrDefault(feature, standard(feature));
  }

  public static int standard(int feature) {
    return DEFAULTS.getOrDefault(feature, 0);
  }

  /** Sets a numeric feature and returns the completion's result. */
  int change(int feature, int value) throws RefusedException {
    if (!changeable(feature)) {
      throw new RefusedException(Status.NOT_CHANGEABLE, "feature " + feature + " is fixed");
    }
    if (feature == QUEUES) {
      return set(feature, queues(value & 0xffff) | (queues(value >>> 16) << 16));
    }
    if (feature == POWER && (value & 0x1f) != 0) {
      throw new RefusedException(Status.INVALID_FIELD, "there is one power state");
    }
    int unused = set(feature, value);
    return 0;
  }

  private static int queues(int wanted) throws RefusedException {
    if (wanted == 0xffff) {
      throw new RefusedException(
          Status.INVALID_FIELD, "65536 queues are more than a controller can have");
    }
    return Math.min(wanted, Limits.QUEUES - 1);
  }

  private int set(int feature, int value) {
    set.put(feature, value);
    return value;
  }

  String text() {
    StringBuilder text = new StringBuilder();
    set.forEach((feature, value) -> text.append(feature).append('=').append(value).append(' '));
    return text.toString().strip();
  }

  static Features resume(String text) {
    Features features = new Features();
    for (String one : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
      int equals = one.indexOf('=');
      features.set.put(
          Integer.parseInt(one.substring(0, equals)), Integer.parseInt(one.substring(equals + 1)));
    }
    return features;
  }
}
