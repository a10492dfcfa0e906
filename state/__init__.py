"""What flows through the graphs: documents, verdicts, states, contexts, errors."""
