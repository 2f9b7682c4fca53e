package dev.holdfast.rules;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParameterizedTypeTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.SourcePositions;
import dev.holdfast.rules.JavaType.Form;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.lang.model.element.Modifier;

/** Describes the declaration of a top-level type. */
final class TypeReader {
  private final CompilationUnitTree unit;
  private final SourcePositions positions;

  TypeReader(CompilationUnitTree unit, SourcePositions positions) {
    this.unit = unit;
    this.positions = positions;
  }

  JavaType read(ClassTree tree) {
    Set<Modifier> modifiers = tree.getModifiers().getFlags();
    Form form = form(tree);
    return new JavaType(
        tree.getSimpleName().toString(),
        form,
        modifiers.contains(Modifier.PUBLIC),
        modifiers.contains(Modifier.ABSTRACT),
        supertypes(tree),
        form == Form.INTERFACE ? methods(tree) : 0,
        form == Form.RECORD ? furtherConstructors(tree) : 0);
  }

  private static Form form(ClassTree tree) {
    return switch (tree.getKind()) {
      case CLASS -> Form.CLASS;
      case INTERFACE -> Form.INTERFACE;
      case RECORD -> Form.RECORD;
      default -> Form.OTHER;
    };
  }

  private static Set<String> supertypes(ClassTree tree) {
    List<Tree> named = new ArrayList<>(tree.getImplementsClause());
    if (tree.getExtendsClause() != null) {
      named.add(tree.getExtendsClause());
    }
    Set<String> names = new TreeSet<>();
    for (Tree type : named) {
      Tree raw = type instanceof ParameterizedTypeTree generic ? generic.getType() : type;
      String name = raw.toString();
      names.add(name.substring(name.lastIndexOf('.') + 1));
    }
    return names;
  }

  private static int methods(ClassTree tree) {
    int count = 0;
    for (Tree member : tree.getMembers()) {
      if (member instanceof MethodTree method) {
        Set<Modifier> flags = method.getModifiers().getFlags();
        if (!flags.contains(Modifier.STATIC) && !flags.contains(Modifier.PRIVATE)) {
          count++;
        }
      }
    }
    return count;
  }

  private int furtherConstructors(ClassTree tree) {
    List<String> components = new ArrayList<>();
    for (Tree member : tree.getMembers()) {
      if (member instanceof VariableTree field
          && !field.getModifiers().getFlags().contains(Modifier.STATIC)) {
        components.add(field.getType().toString());
      }
    }
    int count = 0;
    for (Tree member : tree.getMembers()) {
      if (member instanceof MethodTree method
          && method.getName().contentEquals("<init>")
          && method.getModifiers().getFlags().contains(Modifier.PUBLIC)
          && !isCompact(method)
          && !components.equals(
              method.getParameters().stream().map(p -> p.getType().toString()).toList())) {
        count++;
      }
    }
    return count;
  }

  private boolean isCompact(MethodTree constructor) {
    try {
      CharSequence text = unit.getSourceFile().getCharContent(true);
      long start = positions.getStartPosition(unit, constructor);
      long body = positions.getStartPosition(unit, constructor.getBody());
      return !text.subSequence((int) start, (int) body).toString().contains("(");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
