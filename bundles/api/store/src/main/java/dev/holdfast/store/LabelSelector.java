package dev.holdfast.store;

import dev.holdfast.resource.ObjectMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Selects resources by their labels, in the syntax of Kubernetes: {@code app=x,tier!=y,zone in
 * (a,b), key notin (c),key,!key}.
 *
 * @param requirements requirements that must all hold
 */
public record LabelSelector(List<Requirement> requirements) {
  /** Selects all resources. */
  public static final LabelSelector ALL = new LabelSelector(List.of());

  private static final Pattern SET = Pattern.compile("(\\S+)\\s+(in|notin)\\s*\\(([^)]*)\\)");
  private static final Pattern EQUALITY =
      Pattern.compile("([^=!\\s]+)\\s*(==|=|!=)\\s*([^=!\\s]*)");

  /** Copies the list. */
  public LabelSelector {
    requirements = List.copyOf(requirements);
  }

  /** Returns a selector for one label. */
  public static LabelSelector label(String key, String value) {
    return new LabelSelector(List.of(new Requirement(key, Operator.IN, Set.of(value))));
  }

  /**
   * Parses a selector.
   *
   * @param text as given to {@code kubectl -l}; empty selects all resources
   * @throws IllegalArgumentException when the text is not a selector
   */
  public static LabelSelector parse(String text) {
    List<Requirement> requirements = new ArrayList<>();
    for (String part : text.split(",(?![^(]*\\))", -1)) {
      if (!part.isBlank()) {
        requirements.add(requirement(part.strip()));
      }
    }
    return new LabelSelector(requirements);
  }

  private static Requirement requirement(String text) {
    Matcher set = SET.matcher(text);
    if (set.matches()) {
      Set<String> values = new TreeSet<>();
      for (String value : set.group(3).split(",", -1)) {
        values.add(value.strip());
      }
      return new Requirement(
          set.group(1), set.group(2).equals("in") ? Operator.IN : Operator.NOT_IN, values);
    }
    Matcher equality = EQUALITY.matcher(text);
    if (equality.matches()) {
      return new Requirement(
          equality.group(1),
          equality.group(2).equals("!=") ? Operator.NOT_IN : Operator.IN,
          Set.of(equality.group(3)));
    }
    if (text.matches("!?[A-Za-z0-9][A-Za-z0-9._/-]*")) {
      boolean absent = text.startsWith("!");
      return new Requirement(
          absent ? text.substring(1) : text,
          absent ? Operator.DOES_NOT_EXIST : Operator.EXISTS,
          Set.of());
    }
    throw new IllegalArgumentException("\"" + text + "\" is not a label selector");
  }

  /** Returns whether all requirements hold. */
  public boolean matches(ObjectMeta metadata) {
    return requirements.stream().allMatch(requirement -> requirement.matches(metadata));
  }

  /** Returns the text that {@link #parse} accepts. */
  @Override
  public String toString() {
    return String.join(",", requirements.stream().map(Requirement::toString).toList());
  }

  /** Comparisons of a label. */
  public enum Operator {
    /** The label exists with one of the values. */
    IN,
    /** The label is absent or has another value. */
    NOT_IN,
    /** The label exists. */
    EXISTS,
    /** The label is absent. */
    DOES_NOT_EXIST
  }

  /**
   * One requirement.
   *
   * @param key of the label
   * @param operator comparison of the label
   * @param values values to compare with
   */
  public record Requirement(String key, Operator operator, Set<String> values) {
    /** Copies the set. */
    public Requirement {
      values = Set.copyOf(values);
    }

    boolean matches(ObjectMeta metadata) {
      String value = metadata.labels().get(key);
      return switch (operator) {
        case IN -> value != null && values.contains(value);
        case NOT_IN -> value == null || !values.contains(value);
        case EXISTS -> value != null;
        case DOES_NOT_EXIST -> value == null;
      };
    }

    @Override
    public String toString() {
      String list = "(" + String.join(",", new TreeSet<>(values)) + ")";
      return switch (operator) {
        case IN -> key + " in " + list;
        case NOT_IN -> key + " notin " + list;
        case EXISTS -> key;
        case DOES_NOT_EXIST -> "!" + key;
      };
    }
  }
}
